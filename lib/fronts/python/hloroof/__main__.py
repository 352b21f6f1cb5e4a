"""The command: python -m hloroof"""

import sys

from hloroof._command import main

if __name__ == "__main__":
    sys.exit(main())
