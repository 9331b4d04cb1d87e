"""Finding, downloading and checking files, against a real local server with bad manners."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from judging_empathy.data import files
from judging_empathy.data.files import NoNetwork, Store
from raters.errors import RatingsError

BODIES = {
    "LICENSE": b"anybody may use this\n",
    "a/one.csv": b"id,rating\n1,2\n" * 50,
    "a/two.csv": b"id,rating\r\n1,3\r\n" * 400,
}
REGISTRY = {name: hashlib.sha256(body).hexdigest() for name, body in BODIES.items()}


class Handler(BaseHTTPRequestHandler):
    """Answers by the server's plan: one action for each request of a file, the last one kept."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        name = self.path.lstrip("/")
        self.server.asked.append(name)
        plan = self.server.plan.get(name, ["good"])
        action = plan.pop(0) if len(plan) > 1 else plan[0]
        body = BODIES[name]
        if isinstance(action, int):
            self.send_error(action)
        elif action == "hang":
            self.server.released.wait(20)
            self.close_connection = True
        elif action == "drop":
            self.close_connection = True
        elif action == "wrong":
            self.reply(b"<html>please log in</html>")
        elif action == "cut":
            self.reply(body[: len(body) // 2], length=len(body))
            self.close_connection = True
        elif action == "cut without length":
            self.reply(body[: len(body) // 2], length=None)
            self.close_connection = True
        elif action == "slow":
            self.start(len(body))
            for start in range(0, len(body), 300):
                self.wfile.write(body[start : start + 300])
                self.wfile.flush()
                time.sleep(0.02)
        else:
            self.reply(body)

    def start(self, length):
        self.send_response(200)
        if length is None:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def reply(self, body, length=-1):
        self.start(len(body) if length == -1 else length)
        self.wfile.write(body)


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.plan, server.asked, server.released = {}, [], threading.Event()
    server.base = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def make(server, tmp_path):
    def make(**options):
        options = {"base_url": server.base, "timeout": (5.0, 5.0), "pause": 0.01} | options
        return Store(REGISTRY, tmp_path / "raw", **options)

    return make


def put(folder: Path, bodies=BODIES) -> Path:
    for name, body in bodies.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(body)
    return folder


def whole(folder: Path) -> None:
    """All files are there, right, and nothing else is."""
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert found == set(BODIES)
    assert all((folder / name).read_bytes() == body for name, body in BODIES.items())


def three_parts(error, *words):
    message = str(error.value)
    assert message.startswith("Given: ") and ". Allowed: " in message and ". To do: " in message
    for word in words:
        assert word in message, (word, message)


# --------------------------------------------------------------------------- download
def test_good_server(make, server, capfd):
    store = make()
    assert store.fetch() == dict.fromkeys(BODIES, "downloaded")
    whole(store.target)
    assert server.asked == list(BODIES)
    assert store.fetch() == dict.fromkeys(BODIES, "kept")
    assert len(server.asked) == len(BODIES), "nothing is asked for twice"
    assert store.locate() == store.target
    out, err = capfd.readouterr()
    assert out == "" and err == "", "no bar and no chatter outside a terminal"


def test_progress_bar_on_a_terminal(make, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    make().fetch()
    assert "study files" in capsys.readouterr().err
    for path in make().target.rglob("*.csv"):
        path.unlink()
    make().fetch(progress=False)
    assert capsys.readouterr().err == ""


def test_base_address_without_a_slash(make, server):
    make(base_url=server.base.rstrip("/")).fetch()
    whole(make().target)


def test_slow_server_is_waited_for(make, server):
    server.plan["a/two.csv"] = ["slow"]
    store = make()
    store.fetch()
    whole(store.target)


@pytest.mark.parametrize("failure", [500, 503, 429, "cut", "cut without length", "drop", "hang"])
def test_failing_server_is_asked_again(make, server, failure):
    times = 1 if failure in ("cut without length", "hang") else 2
    server.plan["a/one.csv"] = [failure] * times + ["good"]
    # Short only where a time-out is wanted, so that a busy machine does not look like one.
    store = make(timeout=(1.0, 0.5)) if failure == "hang" else make()
    store.fetch()
    whole(store.target)
    assert server.asked.count("a/one.csv") == times + 1


@pytest.mark.parametrize("failure", ["drop", 500])
def test_failure_of_the_first_file_is_no_lack_of_network(make, server, failure):
    server.plan["LICENSE"] = [failure, "good"]
    make().fetch()
    whole(make().target)


def test_waits_grow(make, server, monkeypatch):
    waits = []
    monkeypatch.setattr(files.time, "sleep", waits.append)
    server.plan["LICENSE"] = [500, 500, 500, "good"]
    # The server's own sleep is the same function: only the waits of the download are left.
    make(pause=1.0).fetch()
    assert waits == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("failure", "word", "asked"),
    [
        (404, "answers 404", 1),
        (403, "answers 403", 1),
        (500, "answer 500", 4),
        ("cut", "broke off", 4),
        ("drop", "broke off", 4),
    ],
)
def test_failure_for_good(make, server, failure, word, asked):
    server.plan["a/one.csv"] = [failure]
    store = make()
    with pytest.raises(RatingsError) as error:
        store.fetch()
    three_parts(error, "a/one.csv", word)
    assert not isinstance(error.value, NoNetwork)
    assert server.asked.count("a/one.csv") == asked
    assert store.check(store.target).status.tolist() == ["ok", "missing", "missing"]
    left = [p.name for p in store.target.rglob("*") if p.is_file()]
    assert left == ["LICENSE"], "no half file is left"
    # A choice of "auto" is no way round an error of the server.
    with pytest.raises(RatingsError):
        store.resolve("auto")
    server.plan.clear()
    assert store.fetch()["LICENSE"] == "kept", "it goes on where it stopped"
    whole(store.target)


def test_hanging_server_times_out(make, server):
    server.plan["LICENSE"] = ["hang"]
    with pytest.raises(RatingsError) as error:
        make(attempts=2, timeout=(0.3, 0.3)).fetch()
    assert server.asked.count("LICENSE") == 2
    three_parts(error, "no more bytes in time", "2 times")


def test_wrong_file(make, server):
    server.plan["a/one.csv"] = ["wrong"]
    store = make()
    with pytest.raises(RatingsError) as error:
        store.fetch()
    found = hashlib.sha256(b"<html>please log in</html>").hexdigest()
    three_parts(error, "a/one.csv", found, REGISTRY["a/one.csv"], "nothing was kept")
    assert server.asked.count("a/one.csv") == 2
    assert not (store.target / "a/one.csv").exists()


def test_wrong_address(make):
    with pytest.raises(RatingsError) as error:
        make(base_url="nowhere/at/all").fetch()
    three_parts(error, "RATERS_BASE_URL", "http")


def test_no_network_is_found_out_at_once(make, monkeypatch):
    waits = lambda seconds: pytest.fail(f"it waits {seconds} s and tries again")  # noqa: E731
    monkeypatch.setattr("judging_empathy.data.files.time.sleep", waits)
    store = make(base_url="http://127.0.0.1:9/", pause=5.0)
    assert store.locate() is None
    assert store.resolve("auto") == "simulated"
    with pytest.raises(NoNetwork):
        store.fetch()
    with pytest.raises(RatingsError) as error:
        store.resolve("published")
    three_parts(error, "RATERS_DATA", str(store.target), "127.0.0.1:9")


def test_unknown_host_is_no_network(make):
    store = make(base_url="http://host.invalid/", pause=5.0)
    assert store.resolve("auto") == "simulated"


def test_folder_that_cannot_be_written(make, tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "a").write_text("a file where a folder is needed")
    with pytest.raises(RatingsError) as error:
        make().fetch()
    three_parts(error, "cannot be written")


def test_two_processes_at_once(make, server, tmp_path):
    server.plan["a/two.csv"] = ["slow"]
    code = (
        "import sys; from pathlib import Path; from judging_empathy.data.files import Store\n"
        f"store = Store({REGISTRY!r}, Path(sys.argv[1]), base_url={server.base!r})\n"
        "store.fetch(); print((store.verify().status == 'ok').all())\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "raw")]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    results = [process.communicate(timeout=60) for process in running]
    assert [out.strip() for out, _ in results] == ["True", "True"], results
    whole(tmp_path / "raw")


def test_killed_download_leaves_no_half_file(make, server, tmp_path):
    server.plan["a/two.csv"] = ["hang"]
    code = (
        "import sys; from pathlib import Path; from judging_empathy.data.files import Store\n"
        f"Store({REGISTRY!r}, Path(sys.argv[1]), base_url={server.base!r}).fetch()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "raw")])
    until = time.monotonic() + 30
    while "a/two.csv" not in server.asked and time.monotonic() < until:
        time.sleep(0.05)
    process.kill()
    process.wait()
    store = make()
    assert store.check(store.target).status.tolist() == ["ok", "ok", "missing"]
    server.plan.clear()
    assert store.fetch() == {"LICENSE": "kept", "a/one.csv": "kept", "a/two.csv": "downloaded"}


# --------------------------------------------------------------------------- what is there
def test_corrupted_file_is_replaced(make):
    store = make()
    put(store.target)
    (store.target / "a/one.csv").write_bytes(b"id,rating\n1,5\n")
    assert store.fetch()["a/one.csv"] == "replaced"
    whole(store.target)


def test_corrupted_file_and_no_network_is_an_error(make):
    store = make(base_url="http://127.0.0.1:9/")
    put(store.target)
    (store.target / "a/one.csv").write_bytes(b"id,rating\n1,5\n")
    for study in ("auto", "published"):
        with pytest.raises(RatingsError) as error:
            store.resolve(study)
        three_parts(error, "a/one.csv", REGISTRY["a/one.csv"], "simulated")


def test_verify_names_every_file(make, server):
    store = make()
    with pytest.raises(RatingsError) as error:
        store.verify()
    three_parts(error, "none of the 3 files", "make data")
    put(store.target)
    assert store.verify().status.tolist() == ["ok"] * 3
    (store.target / "a/one.csv").write_bytes(b"changed")
    (store.target / "a/two.csv").unlink()
    with pytest.raises(RatingsError) as error:
        store.verify()
    three_parts(
        error,
        "a/one.csv has the sha256 " + hashlib.sha256(b"changed").hexdigest(),
        REGISTRY["a/one.csv"],
        "a/two.csv is missing",
        "make data",
    )
    assert server.asked == [], "checking asks no server"


def test_local_copy_comes_first(make, server, tmp_path):
    copy = put(tmp_path / "copy")
    store = make(copy=copy)
    assert store.locate() == copy and store.resolve("auto") == "published"
    assert store.fetch() == dict.fromkeys(BODIES, "kept")
    assert store.verify().status.tolist() == ["ok"] * 3
    assert server.asked == [] and not store.target.exists()


@pytest.mark.parametrize("problem", ["no folder", "empty", "one missing", "one wrong"])
def test_wrong_local_copy_is_never_passed_over(make, tmp_path, problem):
    copy = tmp_path / "copy"
    if problem != "no folder":
        copy.mkdir()
    if problem.startswith("one"):
        put(copy)
        (copy / "a/two.csv").unlink()
    if problem == "one wrong":
        (copy / "a/two.csv").write_bytes(b"changed")
    store = make(copy=copy)
    put(store.target)
    calls = (
        store.locate, store.fetch, store.verify, store.require,
        lambda: store.resolve("auto"),
        lambda: store.resolve("published"),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(RatingsError) as error:
            call()
        three_parts(error, "RATERS_DATA", str(copy))
        if problem.startswith("one"):
            assert "a/two.csv" in str(error.value)
    assert store.resolve("simulated") == "simulated"


def test_unknown_study(make):
    with pytest.raises(RatingsError) as error:
        make().resolve("real")
    three_parts(error, "study='real'", "auto, published, simulated")


def test_no_download_wanted(make, server):
    assert make().locate(download=False) is None
    put(make().target, {"LICENSE": BODIES["LICENSE"]})
    with pytest.raises(RatingsError) as error:
        make().locate(download=False)
    three_parts(error, "a/one.csv", "switched off")
    assert server.asked == []


# --------------------------------------------------------------------------- the study's store
def test_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("RATERS_DATA", raising=False)
    monkeypatch.delenv("RATERS_BASE_URL", raising=False)
    store = files.store()
    assert store.copy is None and store.base_url == files.BASE_URL
    assert store.target == files.data_dir() / "raw"
    monkeypatch.setenv("RATERS_DATA", str(tmp_path / "none"))
    monkeypatch.setenv("RATERS_BASE_URL", "http://mirror.example/x")
    assert files.store().copy == tmp_path / "none"
    assert files.store().base_url == "http://mirror.example/x"
    with pytest.raises(RatingsError) as error:
        files.store().resolve("auto")
    three_parts(error, "RATERS_DATA")
    assert files.store().resolve("simulated") == "simulated"
    monkeypatch.setenv("RATERS_DATA", " ")
    assert files.store().copy is None


def test_registry():
    registry = files.store().registry
    assert len(registry) == 42
    assert sum("_ratings.csv" in name for name in registry) == 29
    assert files.COMMIT in files.BASE_URL
    assert not any(os.path.isabs(name) for name in registry)


def test_broken_registry(tmp_path):
    path = tmp_path / "registry.txt"
    path.write_text("# comment\na.csv " + "0" * 64 + "\nb.csv 123\n")
    with pytest.raises(RatingsError) as error:
        files.read_registry(path)
    three_parts(error, "line 3")


@pytest.mark.real_data
def test_real_files_are_whole():
    assert (files.store().verify()["status"] == "ok").all()
    assert files.store().resolve("auto") == "published"
    assert files.store().place() in ("a local copy (RATERS_DATA)", "the download folder")


def test_installed_package_keeps_downloads_in_the_cache(monkeypatch, tmp_path):
    package = tmp_path / "lib" / "python3" / "site-packages" / "raters"
    (package / "study").mkdir(parents=True)
    monkeypatch.setattr(files, "__file__", str(package / "study" / "files.py"))
    monkeypatch.delenv("RATERS_DATA", raising=False)
    with pytest.raises(RatingsError) as error:
        files.data_dir()
    three_parts(error, "registry.txt", "install the package again")
    (package / "data").mkdir()
    (package / "data" / "registry.txt").write_text("a.csv " + "0" * 64 + "\n")
    assert files.data_dir() == package / "data"
    store = files.store()
    assert store.target.name == "raters" and package not in store.target.parents
    assert list(store.registry) == ["a.csv"]


def test_without_pooch_a_download_says_what_to_install(monkeypatch, make):
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert make().resolve("simulated") == "simulated"
    put(make().target)
    assert make().resolve("auto") == "published"
    (make().target / "a/one.csv").unlink()
    with pytest.raises(RatingsError) as error:
        make().resolve("auto")
    three_parts(error, "pooch is not installed", 'pip install ".[study]"')
