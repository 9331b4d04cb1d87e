"""CPU seconds of irrCAC for one alpha of each matrix; run by speed.py in its own environment.

irrCAC wants older versions of numpy and pandas than this project does.
"""

import sys
import time

import numpy as np
import pandas as pd
from irrCAC.raw import CAC


def one(x):
    """Krippendorff's alpha with quadratic weights, as its users call it."""
    return CAC(pd.DataFrame(x), weights="quadratic").krippendorff()


if __name__ == "__main__":
    with np.load(sys.argv[1]) as found:
        matrices = [found[name] for name in found.files]
    one(matrices[0])
    start = time.process_time()
    for matrix in matrices:
        one(matrix)
    print(time.process_time() - start)
