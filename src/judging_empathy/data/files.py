"""Where the study's files are: found, downloaded, checked by sha256.

Search order: the folder named by ``RATERS_DATA``; the download folder (``data/raw`` of
a checkout); a download into it. ``RATERS_BASE_URL`` names a mirror. No file is used
before its sha256 was compared with ``data/registry.txt``.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from raters.errors import RatingsError, install

REPOSITORY = "aakriti1kumar/replication-data-and-code-when-LLMs-reliable-empathic-communication"
COMMIT = "713458108e28897fccf136a6337296b5199cb617"
DOI = "10.5281/zenodo.17230987"
BASE_URL = f"https://raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/"
STUDIES = ("auto", "published", "simulated")
_GET = "run `make data` (`raters data` without a checkout)"
_OTHER_MIRROR = "correct RATERS_BASE_URL, or unset it to use the authors' repository"

# Answers after which asking again may help; any other 4xx is the server's last word.
_TRY_AGAIN = (408, 425, 429)
_CHECKSUM_ATTEMPTS = 2


class NoNetwork(RatingsError):
    """No server answers: nothing can be downloaded from here."""


class _WrongChecksum(Exception):
    """The file that came has another sha256, the argument."""


@dataclass(frozen=True)
class Store:
    """One set of files with known checksums, a folder for them and a server.

    `store` is that of the study; tests make their own. Each method that needs files raises a
    `RatingsError` where they are not right: the local copy is not whole, the download folder
    holds a part of them and the rest cannot be had, or a server answers, but not with the files.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> files = Store({"a.csv": hashlib.sha256(b"x").hexdigest()}, folder)
    >>> files.check(folder).status.tolist()
    ['missing']
    >>> _ = (folder / "a.csv").write_bytes(b"x")
    >>> files.locate(download=False) == folder
    True
    """

    registry: Mapping[str, str]  # from a file's path (with ``/``) to its sha256
    target: Path  # the folder that downloads go to
    base_url: str = BASE_URL  # the paths are appended to it
    copy: Path | None = None  # a folder that must hold every file: then nothing is downloaded
    timeout: tuple[float, float] = (4.0, 20.0)  # seconds for a connection, and for more bytes
    attempts: int = 4  # how often a failing server is asked for one file
    pause: float = 1.0  # seconds before the second attempt; doubled before each further one

    # ---------------------------------------------------------------- look
    def check(self, folder: Path) -> pd.DataFrame:
        """Compare every file in a folder with the registry.

        ``file``, ``status`` (``ok``, ``missing`` or ``wrong``), ``expected`` and ``found``
        sha256 (empty where missing).
        """
        rows = []
        for name, expected in self.registry.items():
            found = _sha256(folder / name)
            status = "ok" if found == expected else "wrong" if found else "missing"
            rows.append((name, status, expected, found))
        return pd.DataFrame(rows, columns=["file", "status", "expected", "found"])

    def locate(self, download: bool = True, progress: bool = True) -> Path | None:
        """The folder that holds every file, each with the right checksum.

        None when there is no file here and none can be had: no network, or
        ``download=False``. `progress` shows a bar while downloading (on a terminal only).
        """
        if self.copy is not None:
            self.verify()
            return self.copy
        table = self.check(self.target)
        if (table["status"] == "ok").all():
            return self.target
        reason = "downloading is switched off"
        if download:
            try:
                self.fetch(progress)
                return self.target
            except NoNetwork as error:
                reason = error.given
        if (table["status"] == "missing").all():
            return None
        raise RatingsError(
            f"only a part of the files in {self.target}, and {reason}: {_listed(table)}",
            f"all {len(self.registry)} files with the right sha256, or none of them",
            f"{_GET} with a network to get the rest, or delete that folder, or ask for "
            "study='simulated'",
        )

    def require(self) -> Path:
        """Like `locate`, but an error that names every place tried where there is nothing."""
        folder = self.locate()
        if folder is None:
            raise RatingsError(
                "the study's files are nowhere to be found. Tried: RATERS_DATA (not set); "
                f"{self.target} (empty); {self.base_url} (no answer)",
                "the files in one of these places",
                f"connect to a network and {_GET}, or set RATERS_DATA to a folder that holds a "
                "copy of the authors' repository, or ask for study='simulated'",
            )
        return folder

    def resolve(self, study: str) -> str:
        """``"published"`` or ``"simulated"``, from ``"auto"`` or one of them.

        ``"auto"`` is the published ratings where they can be had, else simulated.
        """
        if study not in STUDIES:
            raise RatingsError(f"study={study!r}", ", ".join(STUDIES), "name one of these")
        if study == "simulated":
            return "simulated"
        folder = self.require() if study == "published" else self.locate()
        return "simulated" if folder is None else "published"

    def verify(self) -> pd.DataFrame:
        """Check every file where it is, without a network, as `check` does.

        The error names each file that is missing or wrong, with the expected and the found
        sha256.
        """
        copied = f"RATERS_DATA={str(self.copy)!r}"
        todo = "correct RATERS_DATA, or unset it to use data/raw and the network"
        if self.copy is not None and not self.copy.is_dir():
            raise RatingsError(
                f"{copied}, which is not a folder",
                "a folder that holds a copy of the authors' repository",
                todo,
            )
        table = self.check(self.copy or self.target)
        if (table["status"] == "ok").all():
            return table
        if self.copy is None:
            raise RatingsError(
                f"in {self.target}: {_listed(table)}",
                "every file of data/registry.txt with its sha256",
                f"{_GET}, which downloads what is missing or wrong",
            )
        raise RatingsError(
            f"{copied}: {_listed(table)}",
            f"a folder with all {len(self.registry)} files of data/registry.txt, "
            "each with the right sha256",
            todo,
        )

    def place(self) -> str:
        """Where the files are now, in words for a reader; nothing is downloaded."""
        if self.locate(download=False) is None:
            return "nowhere yet"
        return "a local copy (RATERS_DATA)" if self.copy else "the download folder"

    # ------------------------------------------------------------ download
    def fetch(self, progress: bool = True) -> dict[str, str]:
        """Download every file that is missing or wrong.

        From a file's name to ``"kept"``, ``"downloaded"`` or ``"replaced"``. Files are written
        under another name and renamed when their checksum is right, so an interrupted or a
        second download leaves no half file behind. `NoNetwork` where no server answers.
        """
        if self.copy is not None:
            self.verify()
            return dict.fromkeys(self.registry, "kept")
        words = {"ok": "kept", "missing": "downloaded", "wrong": "replaced"}
        table = self.check(self.target)
        done = dict(zip(table["file"], table["status"].map(words), strict=True))
        todo = [name for name, word in done.items() if word != "kept"]
        if todo:
            pup = _pooch().create(
                path=self.target,
                base_url=self.base_url.rstrip("/") + "/",
                registry=dict(self.registry),
                retry_if_failed=0,  # pooch would repeat a 404 too; _download knows better
            )
            with _bar(todo, progress) as names:
                for place, name in enumerate(names):
                    self._download(pup, name, answered=place > 0)
        return done

    def _download(self, pup, name: str, answered: bool) -> None:
        """One file, asking again only where that can help."""
        import requests

        # stream=False: the files are small, and a failed answer is read out and closed.
        get = _pooch().HTTPDownloader(timeout=self.timeout, stream=False)

        def downloader(url, output, pooch):
            get(url, output, pooch)
            found = _sha256(Path(output))
            if found != self.registry[name]:
                raise _WrongChecksum(found)

        for attempt in range(1, self.attempts + 1):
            try:
                with _quiet_pooch():
                    pup.fetch(name, downloader=downloader)
                return
            except (requests.RequestException, _WrongChecksum) as error:
                most, failure = self._failure(error, name, attempt, answered)
                if attempt >= min(most, self.attempts):
                    raise failure from error
            except OSError as error:
                raise RatingsError(
                    f"{self.target / name} cannot be written ({error})",
                    "a folder that may be written and has room",
                    "make room, or set RATERS_DATA to a folder that holds the files",
                ) from error
            time.sleep(self.pause * 2 ** (attempt - 1))

    def _failure(
        self, error: Exception, name: str, attempt: int, answered: bool
    ) -> tuple[int, RatingsError]:
        """How many attempts a failed download is worth, and what is said after the last."""
        from requests import exceptions as told

        url = self.base_url.rstrip("/") + "/" + name
        tries = "once" if attempt == 1 else f"{attempt} times"
        right = "the file with the sha256 of data/registry.txt"
        if isinstance(error, _WrongChecksum):
            return _CHECKSUM_ATTEMPTS, RatingsError(
                f"{name} from {url} has the sha256 {error}, "
                f"expected {self.registry[name]} (tried {tries})",
                right,
                "see what the address shows in a browser: a log-in page or a mirror with other "
                "files may have answered; nothing was kept",
            )
        if isinstance(error, (told.InvalidURL, told.InvalidSchema, told.MissingSchema)):
            return 1, RatingsError(
                f"{url} is not an address that can be asked",
                "an address that begins with http:// or https://",
                _OTHER_MIRROR,
            )
        if _is_offline(error):
            return self.attempts if answered else 1, NoNetwork(
                f"no answer from {url}",
                "a server that answers, or a local copy",
                "connect to a network, or set RATERS_DATA or RATERS_BASE_URL",
            )
        code = error.response.status_code if isinstance(error, told.HTTPError) else 0
        if 400 <= code < 500 and code not in _TRY_AGAIN:
            return 1, RatingsError(
                f"{url}: the server answers {code}, it does not give this file",
                right,
                _OTHER_MIRROR,
            )
        return self.attempts, RatingsError(
            f"{url} fails ({_short(error, code)}; tried {tries})",
            right,
            "try again later; what was downloaded so far is kept. Or set RATERS_DATA to a folder "
            "that holds the files",
        )


def _is_offline(error: Exception) -> bool:
    """Whether no server was reached at all."""
    from requests import exceptions as told
    from urllib3.exceptions import MaxRetryError, NewConnectionError

    cause = error.args[0] if error.args else None
    unreached = isinstance(cause, MaxRetryError) and isinstance(cause.reason, NewConnectionError)
    return unreached or isinstance(error, (told.ConnectTimeout, told.ProxyError))


def _short(error: Exception, code: int) -> str:
    """What a reader can use of a download error: long chains of classes are left out."""
    from requests import exceptions as told

    if code:
        return f"answer {code}"
    if isinstance(error, told.Timeout) or "Read timed out" in str(error):
        return "no more bytes in time"
    if isinstance(error, told.SSLError):
        return "no safe connection: its certificate is not accepted"
    return "the connection broke off"


def _pooch():
    try:
        import pooch
    except ImportError as error:
        raise RatingsError(
            "pooch is not installed, so nothing can be downloaded",
            "the package with its extra 'study'",
            f"set RATERS_DATA to a folder that holds the files, or {install('study')}",
        ) from error
    return pooch


@contextmanager
def _quiet_pooch() -> Iterator[None]:
    """One line for each of the files would drown the bar."""
    logger = _pooch().get_logger()
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def _bar(names: list[str], progress: bool) -> Iterator:
    try:
        from tqdm import tqdm
    except ImportError:
        yield names
        return
    # disable=None: only on a terminal, so that logs and notebooks stay clean.
    with tqdm(names, desc="study files", unit="file", disable=None if progress else True) as bar:
        yield bar


def _sha256(path: Path) -> str:
    """The sha256 of a file, empty where there is none."""
    if not path.is_file():
        return ""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _listed(table: pd.DataFrame) -> str:
    bad = table[table["status"] != "ok"]
    if (table["status"] == "missing").all():
        return f"none of the {len(table)} files is there"
    parts = [
        f"{r.file} is missing (expected {r.expected})"
        if r.status == "missing"
        else f"{r.file} has the sha256 {r.found}, expected {r.expected}"
        for r in bad.itertuples()
    ]
    return f"{len(bad)} of {len(table)} files: " + "; ".join(parts)


# ------------------------------------------------------------------ the study's own store
def data_dir() -> Path:
    """The folder with registry, tables and printed values.

    ``data/`` of a checkout, or the copy inside the installed package.

    >>> (data_dir() / "registry.txt").is_file()
    True
    """
    root = Path(__file__).resolve().parents[3]
    inside = Path(__file__).resolve().parents[1] / "data"
    if (root / "pyproject.toml").is_file() and (root / "data" / "registry.txt").is_file():
        return root / "data"
    if (inside / "registry.txt").is_file():
        return inside
    raise RatingsError(
        f"no registry.txt in {root / 'data'} or {inside}",
        "the data folder of a checkout, or of the installed package",
        "install the package again, or work in a full checkout",
    )


def read_registry(path: Path) -> dict[str, str]:
    """Read a registry, one line for each file: its path and its sha256.

    >>> len(read_registry(data_dir() / "registry.txt"))
    42
    """
    registry = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, digest = line.strip().rpartition(" ")
        if not name or len(digest) != 64 or set(digest) - set("0123456789abcdef"):
            raise RatingsError(
                f"line {number} of {path.name}: {line!r}",
                "a path, a space and a sha256 of 64 hexadecimal digits",
                f"restore data/{path.name} with git",
            )
        registry[name.strip()] = digest
    return registry


def store() -> Store:
    """The study's store as the environment asks for it just now.

    >>> "annotations/lend_an_ear/crowd_ratings.csv" in store().registry
    True
    """
    folder = data_dir()
    checkout = (folder.parent / "pyproject.toml").is_file()
    named = os.environ.get("RATERS_DATA", "").strip()
    return Store(
        registry=read_registry(folder / "registry.txt"),
        # An installed package may lie in a folder that nobody may write to.
        target=folder / "raw" if checkout else _cache_dir(),
        base_url=os.environ.get("RATERS_BASE_URL", "").strip() or BASE_URL,
        copy=Path(named).expanduser() if named else None,
    )


def _cache_dir() -> Path:
    try:
        import pooch
    except ImportError:
        # Only pooch puts files there, so there are none; a download says what to install.
        return Path.home() / ".cache" / "raters"
    return Path(pooch.os_cache("raters"))
