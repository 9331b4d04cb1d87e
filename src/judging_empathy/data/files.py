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
from difflib import get_close_matches
from pathlib import Path

import pandas as pd

from raters.errors import RatingsError, install

REPOSITORY = "aakriti1kumar/replication-data-and-code-when-LLMs-reliable-empathic-communication"
COMMIT = "713458108e28897fccf136a6337296b5199cb617"
DOI = "10.5281/zenodo.17230987"
BASE_URL = f"https://raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/"
STUDIES = ("auto", "published", "simulated")
_GET = "run `make data` (`raters data` without a checkout)"

# Answers after which asking again may help; any other 4xx is the server's last word.
_TRY_AGAIN = (408, 425, 429)
_CHECKSUM_ATTEMPTS = 2


class NoNetwork(RatingsError):
    """No server answers: nothing can be downloaded from here."""


class _WrongChecksum(Exception):
    def __init__(self, found: str):
        self.found = found
        super().__init__(found)


@dataclass(frozen=True)
class Store:
    """One set of files with known checksums, a folder for them and a server.

    The functions of this module use the store of the study (`store`); tests and
    other data sets make their own.

    Parameters
    ----------
    registry : mapping of str to str
        From a file's path (with ``/``) to its sha256.
    target : Path
        The folder downloads go to.
    base_url : str
        The address that the paths are appended to.
    copy : Path, optional
        A folder that must hold every file. When given, nothing is downloaded.
    timeout : tuple of float
        Seconds to wait for a connection and for the next bytes.
    attempts : int
        How often a failing server is asked for one file.
    pause : float
        Seconds before the second attempt; doubled before each further one.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> files = Store({"a.csv": hashlib.sha256(b"x").hexdigest()}, folder)
    >>> files.check(folder).status.tolist()
    ['missing']
    >>> _ = (folder / "a.csv").write_bytes(b"x")
    >>> files.locate(download=False) == folder
    True
    """

    registry: Mapping[str, str]
    target: Path
    base_url: str = BASE_URL
    copy: Path | None = None
    timeout: tuple[float, float] = (4.0, 20.0)
    attempts: int = 4
    pause: float = 1.0

    # ---------------------------------------------------------------- look
    def check(self, folder: Path) -> pd.DataFrame:
        """Compare every file in a folder with the registry.

        Parameters
        ----------
        folder : Path

        Returns
        -------
        DataFrame
            ``file``, ``status`` (``ok``, ``missing`` or ``wrong``), ``expected``
            and ``found`` sha256 (empty where missing).
        """
        rows = []
        for name, expected in self.registry.items():
            found = _sha256(folder / name)
            status = "ok" if found == expected else "wrong" if found else "missing"
            rows.append((name, status, expected, found))
        return pd.DataFrame(rows, columns=["file", "status", "expected", "found"])

    def locate(self, download: bool = True, progress: bool = True) -> Path | None:
        """The folder that holds every file, each with the right checksum.

        Parameters
        ----------
        download : bool
            Whether missing files may be downloaded.
        progress : bool
            Whether a download shows a bar (on a terminal only).

        Returns
        -------
        Path or None
            None when there is no file here and none can be had: no network, or
            ``download=False``.

        Raises
        ------
        RatingsError
            The named local copy is not whole; the download folder holds some of the
            files but the rest cannot be had; a server answers, but not with the files.
        """
        if self.copy is not None:
            self._demand_copy()
            return self.copy
        table = self.check(self.target)
        if (table["status"] == "ok").all():
            return self.target
        if download:
            try:
                self.fetch(progress)
                return self.target
            except NoNetwork as error:
                reason = error.given
        else:
            reason = "downloading is switched off"
        if (table["status"] == "missing").all():
            return None
        raise RatingsError(
            f"only a part of the files in {self.target}, and {reason}: {_listed(table)}",
            f"all {len(self.registry)} files with the right sha256, or none of them",
            f"{_GET} with a network to get the rest, or delete that folder, or ask for "
            "study='simulated'",
        )

    def path(self, name: str) -> Path:
        """One file, its checksum compared just now.

        Parameters
        ----------
        name : str
            The path in the registry, for example ``"annotations/epitome/gpt_ratings.csv"``.

        Returns
        -------
        Path

        Raises
        ------
        RatingsError
            No such name in the registry, or the files cannot be had.
        """
        if name not in self.registry:
            near = get_close_matches(name, self.registry, n=3, cutoff=0.4)
            raise RatingsError(
                f"the file {name!r}",
                f"one of the {len(self.registry)} names in data/registry.txt",
                f"did you mean {' or '.join(near)}" if near else "look the name up there",
            )
        quick = self.target / name
        if self.copy is None and _sha256(quick) == self.registry[name]:
            return quick
        return self.require() / name

    def require(self) -> Path:
        """Like `locate`, but an error where there is nothing.

        Returns
        -------
        Path

        Raises
        ------
        RatingsError
            As `locate`, and when no copy and no network is there. The message names
            every place that was tried.
        """
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
        """Turn a choice of study into what will be used.

        Parameters
        ----------
        study : {"auto", "published", "simulated"}
            ``"auto"`` is the published ratings where they can be had, else simulated.

        Returns
        -------
        {"published", "simulated"}

        Raises
        ------
        RatingsError
            Another word; or ``"published"`` and the files cannot be had; or files
            that are there but not right.
        """
        if study not in STUDIES:
            raise RatingsError(f"study={study!r}", ", ".join(STUDIES), "name one of these")
        if study == "simulated":
            return "simulated"
        if study == "published":
            self.require()
            return "published"
        return "simulated" if self.locate() is None else "published"

    def verify(self) -> pd.DataFrame:
        """Check every file where it is, without a network.

        Returns
        -------
        DataFrame
            As `check`; every status is ``ok``.

        Raises
        ------
        RatingsError
            A file is missing or wrong. The message names each of them, with the
            expected and the found sha256.
        """
        if self.copy is not None:
            self._demand_copy()
            return self.check(self.copy)
        table = self.check(self.target)
        if not (table["status"] == "ok").all():
            raise RatingsError(
                f"in {self.target}: {_listed(table)}",
                "every file of data/registry.txt with its sha256",
                f"{_GET}, which downloads what is missing or wrong",
            )
        return table

    def _demand_copy(self) -> None:
        todo = "correct RATERS_DATA, or unset it to use data/raw and the network"
        if not self.copy.is_dir():
            raise RatingsError(
                f"RATERS_DATA={str(self.copy)!r}, which is not a folder",
                "a folder that holds a copy of the authors' repository",
                todo,
            )
        table = self.check(self.copy)
        if not (table["status"] == "ok").all():
            raise RatingsError(
                f"RATERS_DATA={str(self.copy)!r}: {_listed(table)}",
                f"a folder with all {len(self.registry)} files of data/registry.txt, "
                "each with the right sha256",
                todo,
            )

    # ------------------------------------------------------------ download
    def fetch(self, progress: bool = True) -> dict[str, str]:
        """Download every file that is missing or wrong.

        Files are written under another name and renamed when their checksum is right,
        so an interrupted or a second download leaves no half file behind.

        Parameters
        ----------
        progress : bool
            Whether to show a bar (on a terminal only).

        Returns
        -------
        dict
            From a file's name to ``"kept"``, ``"downloaded"`` or ``"replaced"``.

        Raises
        ------
        NoNetwork
            No server answers.
        RatingsError
            A server answers, but not with the right file; the folder cannot be
            written; the local copy named by RATERS_DATA is not whole.
        """
        if self.copy is not None:
            self._demand_copy()
            return dict.fromkeys(self.registry, "kept")
        table = self.check(self.target)
        done = dict(zip(table["file"], table["status"].replace("ok", "kept"), strict=True))
        todo = [name for name, status in done.items() if status != "kept"]
        if not todo:
            return done
        words = {"missing": "downloaded", "wrong": "replaced"}
        pup = self._pooch()
        answered = False
        with _bar(todo, progress) as names:
            for name in names:
                self._download(pup, name, answered)
                answered = True
                done[name] = words[done[name]]
        return done

    def _pooch(self):
        return _pooch().create(
            path=self.target,
            base_url=self.base_url.rstrip("/") + "/",
            registry=dict(self.registry),
            retry_if_failed=0,  # pooch would repeat a 404 too; _download knows better
        )

    def _download(self, pup, name: str, answered: bool) -> None:
        """One file, asking again only where that can help."""
        import requests

        # stream=False: the files are small, and a failed answer is read out and closed.
        get = _pooch().HTTPDownloader(timeout=self.timeout, stream=False)
        expected = self.registry[name]

        def downloader(url, output, pooch):
            get(url, output, pooch)
            found = _sha256(Path(output))
            if found != expected:
                raise _WrongChecksum(found)

        for attempt in range(1, self.attempts + 1):
            try:
                with _quiet_pooch():
                    pup.fetch(name, downloader=downloader)
                return
            except (requests.RequestException, _WrongChecksum) as error:
                kind, problem = _diagnose(error), error
            except OSError as error:
                raise RatingsError(
                    f"{self.target / name} cannot be written ({error})",
                    "a folder that may be written and has room",
                    "make room, or set RATERS_DATA to a folder that holds the files",
                ) from error
            if kind in ("absent", "address") or (kind == "offline" and not answered):
                break
            if attempt == self.attempts or (kind == "checksum" and attempt >= _CHECKSUM_ATTEMPTS):
                break
            time.sleep(self.pause * 2 ** (attempt - 1))
        raise self._failure(kind, problem, name, attempt) from problem

    def _failure(self, kind: str, problem: Exception, name: str, attempts: int) -> RatingsError:
        url = self.base_url.rstrip("/") + "/" + name
        tries = "once" if attempts == 1 else f"{attempts} times"
        allowed = "the file with the sha256 of data/registry.txt"
        if kind == "offline":
            return NoNetwork(
                f"no answer from {url}",
                "a server that answers, or a local copy",
                "connect to a network, or set RATERS_DATA or RATERS_BASE_URL",
            )
        if kind == "absent":
            code = problem.response.status_code
            return RatingsError(
                f"{url}: the server answers {code}, it does not give this file",
                allowed,
                "correct RATERS_BASE_URL, or unset it to use the authors' repository",
            )
        if kind == "address":
            return RatingsError(
                f"{url} is not an address that can be asked",
                "an address that begins with http:// or https://",
                "correct RATERS_BASE_URL, or unset it to use the authors' repository",
            )
        if kind == "checksum":
            return RatingsError(
                f"{name} from {url} has the sha256 {problem.found}, "
                f"expected {self.registry[name]} (tried {tries})",
                allowed,
                "see what the address shows in a browser: a log-in page or a mirror with other "
                "files may have answered; nothing was kept",
            )
        return RatingsError(
            f"{url} fails ({_short(problem)}; tried {tries})",
            allowed,
            "try again later; what was downloaded so far is kept. Or set RATERS_DATA to a folder "
            "that holds the files",
        )


def _diagnose(error: Exception) -> str:
    """What a failed download means: offline, absent, address, checksum or failing."""
    from requests import exceptions as told
    from urllib3.exceptions import MaxRetryError, NewConnectionError

    if isinstance(error, _WrongChecksum):
        return "checksum"
    if isinstance(error, (told.InvalidURL, told.InvalidSchema, told.MissingSchema)):
        return "address"
    if isinstance(error, told.HTTPError):
        code = error.response.status_code
        return "absent" if 400 <= code < 500 and code not in _TRY_AGAIN else "failing"
    if isinstance(error, (told.ConnectTimeout, told.ProxyError)):
        return "offline"
    cause = error.args[0] if error.args else None
    if isinstance(cause, MaxRetryError) and isinstance(cause.reason, NewConnectionError):
        return "offline"
    return "failing"


def _short(error: Exception) -> str:
    """What a reader can use of a download error: long chains of classes are left out."""
    from requests import exceptions as told

    if isinstance(error, told.HTTPError):
        return f"answer {error.response.status_code}"
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

    Returns
    -------
    Path
        ``data/`` of a checkout, or the copy inside the installed package.

    Raises
    ------
    RatingsError
        Neither is there.

    Examples
    --------
    >>> (data_dir() / "registry.txt").is_file()
    True
    """
    return _data_dir()[0]


def _data_dir() -> tuple[Path, bool]:
    """The data folder, and whether it is that of a checkout."""
    root = Path(__file__).resolve().parents[3]
    inside = Path(__file__).resolve().parents[1] / "data"
    if (root / "pyproject.toml").is_file() and (root / "data" / "registry.txt").is_file():
        return root / "data", True
    if (inside / "registry.txt").is_file():
        return inside, False
    raise RatingsError(
        f"no registry.txt in {root / 'data'} or {inside}",
        "the data folder of a checkout, or of the installed package",
        "install the package again, or work in a full checkout",
    )


def read_registry(path: Path) -> dict[str, str]:
    """Read a registry: one line for each file, its path and its sha256.

    Parameters
    ----------
    path : Path

    Returns
    -------
    dict
        From path to sha256, in the order of the file.

    Raises
    ------
    RatingsError
        A line that is not a path and 64 hexadecimal digits.

    Examples
    --------
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

    Returns
    -------
    Store

    Examples
    --------
    >>> "annotations/lend_an_ear/crowd_ratings.csv" in store().registry
    True
    """
    folder, checkout = _data_dir()
    named = os.environ.get("RATERS_DATA", "").strip()
    copy = Path(named).expanduser() if named else None
    # An installed package may lie in a folder that nobody may write to.
    target = folder / "raw" if checkout else _cache_dir()
    return Store(
        registry=read_registry(folder / "registry.txt"),
        target=target,
        base_url=os.environ.get("RATERS_BASE_URL", "").strip() or BASE_URL,
        copy=copy,
    )


def _cache_dir() -> Path:
    try:
        import pooch
    except ImportError:
        # Only pooch puts files there, so there are none; a download says what to install.
        return Path.home() / ".cache" / "raters"
    return Path(pooch.os_cache("raters"))


def locate(download: bool = True, progress: bool = True) -> Path | None:
    """The folder that holds the study's files, or None. See `Store.locate`."""
    return store().locate(download, progress)


def require() -> Path:
    """The folder that holds the study's files, or an error. See `Store.require`."""
    return store().require()


def resolve(study: str) -> str:
    """``"published"`` or ``"simulated"``, from a choice of study. See `Store.resolve`.

    Examples
    --------
    >>> resolve("simulated")
    'simulated'
    """
    return store().resolve(study)


def path(name: str) -> Path:
    """One verified file of the study. See `Store.path`."""
    return store().path(name)


def fetch(progress: bool = True) -> dict[str, str]:
    """Download what is missing or wrong of the study's files. See `Store.fetch`."""
    return store().fetch(progress)


def verify() -> pd.DataFrame:
    """Check every file of the study where it is. See `Store.verify`."""
    return store().verify()


def source() -> dict:
    """What the study's files are, for a record of provenance.

    Returns
    -------
    dict
        ``repository``, ``commit``, ``doi`` and ``files`` (path to sha256). It names no
        folder: two machines write the same record.

    Examples
    --------
    >>> source()["doi"]
    '10.5281/zenodo.17230987'
    """
    return {
        "repository": f"https://github.com/{REPOSITORY}",
        "commit": COMMIT,
        "doi": DOI,
        "files": dict(store().registry),
    }


def place() -> str:
    """Where the study's files are now, in words for a reader.

    Returns
    -------
    str
        ``"a local copy (RATERS_DATA)"``, ``"the download folder"`` or ``"nowhere yet"``.
        Nothing is downloaded.

    Raises
    ------
    RatingsError
        As `Store.locate`.
    """
    here = store()
    if here.locate(download=False) is None:
        return "nowhere yet"
    return "a local copy (RATERS_DATA)" if here.copy else "the download folder"
