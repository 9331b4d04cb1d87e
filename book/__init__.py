"""The book beside its chapters: prose pages, the builder, what Sphinx and the pages need."""
