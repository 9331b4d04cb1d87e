"""`python -m raters`."""

import sys

from raters.cli import main

sys.exit(main())
