"""Files in and out: formats, what is declared, what a file seems to hold."""
