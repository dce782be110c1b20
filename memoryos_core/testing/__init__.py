"""Tools to test your own parts: fakes of the ports, and each port's contract as a test class.

Import from the module you need (`fakes`, `store_contract`, `embedder_contract`); the contracts need pytest.
"""
