"""From a finished run to a versioned dataset release: configs, splits, card, manifest and checksums."""
