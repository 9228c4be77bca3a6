"""Decision trees whose nodes branch as many ways as the data deserve."""

__version__ = "0.1.0"
