"""What people see: tables, charts, phone charts, how a notebook shows them."""
