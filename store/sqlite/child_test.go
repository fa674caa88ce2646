package sqlite

func childMain() {}
