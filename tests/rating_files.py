"""Files of ratings for tests: how they are written, declared and read back."""

from raters.io.config import ScaleRules, Source

FIVE = ScaleRules([1, 2, 3, 4, 5])
LONG = Source(item="item", rater="rater", rating="rating")


def labels(*levels, **rules):
    return ScaleRules(levels, measurement="nominal", **rules)


def wide(**more):
    return Source(layout="wide-by-rater", item="item", **more)


def written(tmp_path, text, name="ratings.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
    return path


def cells(reading):
    """The ratings as a dict from (item, rater) to rating."""
    rows = reading.ratings
    return dict(zip(zip(rows["item"], rows["rater"]), rows["rating"]))


def counted(frame, key):
    return dict(zip(frame[key], frame["n"]))
