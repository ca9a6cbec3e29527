print("fmadapter")
