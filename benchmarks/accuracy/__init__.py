"""Our default and its peers on the same folds: what is run (`plan`), how (`measure`), and what it says (`report`)."""
