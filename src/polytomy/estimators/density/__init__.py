"""DensityTree: where data are dense, as boxes."""
