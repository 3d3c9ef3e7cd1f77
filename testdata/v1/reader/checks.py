def check(a): a.load()
