import mapeverything

await MapEverything.main()
