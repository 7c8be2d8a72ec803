// ServiceKit: to be written
