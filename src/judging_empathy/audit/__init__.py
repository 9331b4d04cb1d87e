"""Questions to the analysis, each answered by the published recipe and a plain alternative."""
