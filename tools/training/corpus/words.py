"""Word banks. ENTITIES are split between training and held-out text word by word; BANKS are shared by both."""


def words(text):
    return list(dict.fromkeys(w.strip() for w in text.replace("\n", ",").split(",") if w.strip()))


GIRLS = words("""Anna, Maria, Lena, Clara, Sofia, Emma, Nora, Ruth, Alice, Julia, Rosa, Ines, Mila, Hannah, Greta, Olive, Priya, Amara,
Yuki, Leila, Freya, Carmen, Daphne, Elsa, Fiona, Grace, Helen, Iris, Joan, Kate, Lucy, Marta, Nina, Paula, Rita, Sara, Tessa, Vera, Zoe, Bella,
Chloe, Dora, Edith, Flora, Gwen, Hilda, Ivy, Jade, Layla, Mabel, Aisha, Fatima, Zainab, Khadija, Noor, Yasmin, Samira, Salma, Mei, Lin, Xiu, Hana,
Sakura, Aiko, Keiko, Naomi, Emiko, Minji, Soo, Ngoc, Linh, Thuy, Anh, Divya, Anjali, Meera, Lakshmi, Kavya, Sunita, Deepa, Ananya, Isha, Wanjiru,
Achieng, Ngozi, Chioma, Adaeze, Folake, Zola, Thandi, Nomsa, Abena, Akosua, Efua, Katarzyna, Agnieszka, Zofia, Ewa, Magda, Olga, Irina, Svetlana,
Natalia, Tatiana, Ludmila, Oksana, Daria, Milena, Jelena, Ivana, Petra, Jana, Lucie, Eliska, Zuzana, Ilona, Zsofia, Eszter, Ioana, Elena, Mihaela,
Giulia, Chiara, Francesca, Alessia, Martina, Beatrice, Lucia, Pilar, Marisol, Ximena, Camila, Valentina, Gabriela, Lucía, Beatriz, Fernanda, Joana,
Catarina, Leonor, Amélie, Camille, Manon, Élodie, Margot, Solène, Colette, Ingrid, Astrid, Sigrid, Solveig, Liv, Maja, Saga, Linnea, Aino, Helmi, Kaisa,
Sanna, Birgit, Heike, Anke, Ute, Silke, Svenja, Saoirse, Niamh, Aoife, Ciara, Maeve, Rhiannon, Megan, Carys, Isla, Ailsa, Eilidh, Moira, Abigail,
Amelia, Charlotte, Evelyn, Harper, Hazel, Holly, Jessica, Katie, Laura, Lily, Martha, Molly, Nancy, Penny, Poppy, Rachel, Rebecca, Sally, Sophie, Susan,
Victoria, Wendy, Esther, Miriam, Tamar, Shira, Yael, Noa, Dalia, Leyla, Elif, Zeynep, Defne, Parisa, Shirin, Mina, Roxana, Malika, Aida, Leilani, Moana""")
BOYS = words("""Tom, Ben, Omar, Luis, David, Peter, Karim, Jonas, Felix, Hugo, Marco, Ivan, Oscar, Leo, Samuel, Victor, Adam, Bruno, Chen,
Diego, Erik, Frank, George, Henry, Isaac, Jack, Kofi, Liam, Martin, Noah, Otto, Paul, Ravi, Simon, Theo, Walter, Yusuf, Aaron, Boris, Carl, Daniel,
Emil, Finn, Gustav, Harold, Jakob, Kenji, Lars, Milo, Nils, Ahmed, Hassan, Ibrahim, Khalid, Mustafa, Rashid, Tariq, Bilal, Faisal, Wei, Jun, Hao, Ming,
Haruto, Takeshi, Hiroshi, Daichi, Ren, Sota, Minho, Joon, Duc, Minh, Quang, Tuan, Arjun, Vikram, Rohan, Sanjay, Anil, Dev, Kiran, Rahul, Suresh,
Kamau, Otieno, Emeka, Chidi, Obinna, Tunde, Sipho, Themba, Kwame, Kwesi, Yaw, Piotr, Tomasz, Marek, Jacek, Dmitri, Sergei, Nikolai, Mikhail, Oleg, Yuri,
Andrei, Bogdan, Mihai, Radu, Vlad, Zoran, Goran, Luka, Marko, Ondrej, Pavel, Jiri, Laszlo, Istvan, Matteo, Lorenzo, Giovanni, Paolo, Enzo,
Alessandro, Pablo, Javier, Carlos, Miguel, Rafael, Mateo, Álvaro, Joaquín, Tiago, Duarte, Rui, Gonçalo, Étienne, Thierry, Pascal, Luc, Mathis,
Rémi, Anders, Bjorn, Henrik, Magnus, Sven, Olav, Leif, Mikko, Jukka, Antti, Eero, Jürgen, Klaus, Dieter, Uwe, Günter, Ciaran, Declan, Padraig, Rhys,
Dylan, Gareth, Callum, Angus, Hamish, Ewan, Alfie, Arthur, Charlie, Ethan, Freddie, Harry, Jacob, James, Joe, John, Joshua, Lewis, Louis, Lucas, Mark,
Mason, Max, Michael, Nathan, Oliver, Owen, Patrick, Philip, Ralph, Robert, Ryan, Sam, Sean, Stanley, Steve, Thomas, Tim, Toby, Will, Avi, Eli, Ezra,
Levi, Moshe, Noam, Emre, Kerem, Mehmet, Cem, Dariush, Farid, Reza, Kaveh, Timur, Tane, Koa, Manu""")
NAMES = list(dict.fromkeys(GIRLS + BOYS))
COUNTRY = {  # country: (capital, language, continent)
    line.split(":")[0].strip(): tuple(p.strip() for p in line.split(":")[1].split(",")) for line in """France: Paris, French, Europe
Germany: Berlin, German, Europe
Spain: Madrid, Spanish, Europe
Italy: Rome, Italian, Europe
Portugal: Lisbon, Portuguese, Europe
Austria: Vienna, German, Europe
Norway: Oslo, Norwegian, Europe
Sweden: Stockholm, Swedish, Europe
Denmark: Copenhagen, Danish, Europe
Finland: Helsinki, Finnish, Europe
Poland: Warsaw, Polish, Europe
Greece: Athens, Greek, Europe
Hungary: Budapest, Hungarian, Europe
Romania: Bucharest, Romanian, Europe
Bulgaria: Sofia, Bulgarian, Europe
Ireland: Dublin, English, Europe
England: London, English, Europe
Turkey: Ankara, Turkish, Asia
Russia: Moscow, Russian, Europe
Ukraine: Kyiv, Ukrainian, Europe
Egypt: Cairo, Arabic, Africa
Morocco: Rabat, Arabic, Africa
Kenya: Nairobi, Swahili, Africa
Ghana: Accra, English, Africa
Japan: Tokyo, Japanese, Asia
China: Beijing, Chinese, Asia
South Korea: Seoul, Korean, Asia
Vietnam: Hanoi, Vietnamese, Asia
Thailand: Bangkok, Thai, Asia
India: New Delhi, Hindi, Asia
Mexico: Mexico City, Spanish, North America
Cuba: Havana, Spanish, North America
Canada: Ottawa, English, North America
Brazil: Brasília, Portuguese, South America
Peru: Lima, Spanish, South America
Chile: Santiago, Spanish, South America
Argentina: Buenos Aires, Spanish, South America
Australia: Canberra, English, Australia""".splitlines()}
ENTITIES = {
    "name": NAMES,
    "surname": words("""Smith, Miller, Garcia, Brown, Keller, Novak, Silva, Rossi, Patel, Kim, Tanaka, Berg, Hughes, Carter, Lopez, Weber, Moreau,
    Jansen, Murphy, Adler, Baker, Cooper, Dalton, Evans, Fischer, Grant, Hill, Ito, Jensen, King, Lund, Marsh, Nolan, Olsen, Perry, Quinn, Reed,
    Stone, Turner, Vance, Walsh, York, Zeller, Banks, Cole, Drake, Kowalski, Nowak, Wójcik, Ivanov, Petrov, Popescu, Horvat, Nagy, Toth, Svoboda, Dvorak,
    Schmidt, Schneider, Wagner, Becker, Hoffmann, Vogel, Krause, Huber, Dubois, Laurent, Lefevre, Girard, Fontaine, Bianchi, Ferrari, Romano, Conti,
    Ricci, Fernandez, Martinez, Torres, Ramirez, Ortega, Castillo, Pereira, Santos, Oliveira, Almeida, Andersson, Lindqvist, Nilsson, Hansen, Larsen,
    Virtanen, Korhonen, Haddad, Rahman, Hussain, Khan, Malik, Aziz, Farouk, Okafor, Adeyemi, Mensah, Owusu, Mwangi, Kamara, Dlamini, Nkosi, Sharma, Gupta,
    Singh, Reddy, Iyer, Nair, Das, Bose, Wang, Li, Zhang, Liu, Huang, Zhao, Wu, Lee, Park, Choi, Nguyen, Tran, Pham, Sato, Suzuki, Watanabe, Yamamoto,
    Nakamura, Cohen, Levy, Friedman, Yilmaz, Demir, Kaya, Osman, O'Brien, Kelly, Byrne, Campbell, McKenzie, Fraser, Morgan, Price, Lloyd, Bennett, Foster,
    Gray, Harvey, Jenkins, Kerr, Lambert, Mason, Newman, Palmer, Russell, Saunders, Thornton, Underwood, Whitaker"""),
    "city": words("""Paris, London, Berlin, Madrid, Rome, Lisbon, Vienna, Oslo, Dublin, Prague, Athens, Cairo, Tokyo, Seoul, Boston, Chicago,
    Denver, Seattle, Toronto, Sydney, Mumbai, Nairobi, Lima, Porto, Geneva, Munich, Milan, Naples, Seville, Bergen, Krakow, Budapest, Warsaw, Hamburg,
    Lyon, Bristol, Leeds, Glasgow, Austin, Dallas, Stockholm, Helsinki, Copenhagen, Zurich, Basel, Bern, Graz, Salzburg, Cologne, Bonn, Leipzig, Dresden,
    Stuttgart, Bremen, Utrecht, Rotterdam, Antwerp, Ghent, Bruges, Lille, Nantes, Bordeaux, Toulouse, Marseille, Nice, Turin, Verona, Venice, Florence,
    Bologna, Palermo, Valencia, Granada, Bilbao, Malaga, Cork, Galway, Belfast, Cardiff, Swansea, Edinburgh, Aberdeen, Dundee, York, Oxford, Cambridge,
    Manchester, Liverpool, Sheffield, Norwich, Exeter, Plymouth, Riga, Tallinn, Vilnius, Minsk, Kyiv, Odessa, Lviv, Moscow, Belgrade, Zagreb, Split,
    Sarajevo, Tirana, Skopje, Bucharest, Ankara, Istanbul, Izmir, Beirut, Amman, Haifa, Dubai, Doha, Tehran, Baku, Tbilisi, Lahore, Karachi, Delhi, Jaipur,
    Pune, Chennai, Kolkata, Dhaka, Kathmandu, Colombo, Bangkok, Hanoi, Manila, Jakarta, Singapore, Taipei, Osaka, Kyoto, Nagoya, Sapporo, Busan, Beijing,
    Shanghai, Hong Kong, Perth, Brisbane, Melbourne, Adelaide, Hobart, Auckland, Wellington, Accra, Lagos, Abuja, Dakar, Tunis, Algiers, Rabat, Casablanca,
    Addis Ababa, Kampala, Kigali, Lusaka, Harare, Durban, Cape Town, Havana, Mexico City, Bogota, Quito, Santiago, Montevideo, Buenos Aires, Recife,
    Salvador, Phoenix, Portland, Memphis, Nashville, Atlanta, Miami, Orlando, Houston, Detroit, Cleveland, Baltimore, Vancouver, Calgary, Ottawa, Montreal,
    Quebec, Halifax, Reykjavik, Tromso, Valletta"""),
    "town": words("""Willow Bay, Stonebridge, Oakfield, Riverton, Greenhill, Ashford, Millbrook, Fairview, Northgate, Eastwick, Silver Lake,
    Thornbury, Redcliff, Summerton, Maplewood, Harborview, Winterfell Road, Brookside, Elmstead, Clearwater, Foxley, Marlow, Copperton, Highmoor, Saltmarsh,
    Kingsbridge, Dunmore, Larkhill, Wolfsden, Applegate, Birchwood, Cold Spring, Deepwell, Goosebury, Honeyford, Little Combe, Owlton, Pebble Beach,
    Ravenscar, Starling Hill, Three Oaks, Underhill, Whitepool, Hartwell, Penrose"""),
    "street": words("""Oak Street, Mill Lane, Park Road, Station Road, River Street, Garden Avenue, Hill Road, Market Street, School Lane, Bridge Street,
    King Street, Church Road, Lake Drive, Forest Avenue, Harbor Way, Elm Street, Pine Road, Rose Lane, Queen Street, Baker Row, Castle Street, Abbey Road,
    Victoria Avenue, Orchard Close, Meadow Way, Chestnut Drive, Cedar Court, Main Street, High Street, North Road, South Street, West Avenue, Tower Hill,
    Canal Street, Fountain Square, Grange Road, Maple Drive, Linden Street, Sunset Boulevard, Ferry Lane, Temple Street, Union Square"""),
    "company": words("""Northwind, Bluestone, Green Leaf, Sunrise Labs, Oakline, Riverbank, Skyport, Redbrick, Clearpath, Silverline, Brightside,
    Moonlight Foods, Stonegate, Harbor Tools, Pinecone, Fastlane, Goldfinch, Wildflower, Ironworks, Bluebird, Acorn Books, Delta Motors, Evergreen, Falcon Air,
    Granite Bank, Hilltop Dairy, Indigo Travel, Juniper Tea, Kestrel Games, Lumen, Maple Software, Nimbus, Orbit Media, Pacific Paper, Quartz, Rapid Parcel,
    Solaris, Tandem Bikes, Umbra Optics, Vertex, Westwood Furniture, Yellow Door, Zenith Clinics, Copper Kettle, Amber Insurance, Polar Foods"""),
}
PAIRS = [tuple(p.strip().split("/")) for p in """hot/cold, big/small, fast/slow, happy/sad, light/dark, old/new, early/late, open/closed, full/empty,
hard/soft, high/low, rich/poor, strong/weak, dry/wet, loud/quiet, clean/dirty, long/short, near/far, sweet/sour, brave/afraid, up/down, left/right,
good/bad, thick/thin, wide/narrow, deep/shallow, cheap/expensive, easy/difficult, heavy/light, young/old, true/false, right/wrong, first/last, inside/outside,
above/below, begin/end, buy/sell, give/take, push/pull, win/lose, love/hate, laugh/cry, arrive/leave, remember/forget, ask/answer, day/night,
summer/winter, north/south, east/west, friend/enemy, tall/short, warm/cool, smooth/rough, sharp/blunt, safe/dangerous, polite/rude, kind/cruel,
clever/stupid, lazy/hard-working, noisy/silent, always/never, more/less, many/few, before/after, front/back, top/bottom, accept/refuse, awake/asleep,
alive/dead, ancient/modern, beautiful/ugly, bright/dim, calm/excited, correct/incorrect, possible/impossible, generous/stingy, guilty/innocent, healthy/sick,
honest/dishonest, increase/decrease, interesting/boring, junior/senior, major/minor, maximum/minimum, normal/strange, patient/impatient, present/absent,
private/public, simple/complicated, single/married, success/failure, tight/loose, tiny/huge, victory/defeat, visible/invisible, import/export, lend/borrow,
create/destroy, float/sink, freeze/melt, hide/show, rise/fall, start/stop, entrance/exit, question/answer, morning/evening, heaven/hell, wild/tame,
whole/broken, fresh/stale, fat/thin, raw/cooked, male/female, king/queen, uncle/aunt, nephew/niece, husband/wife, brother/sister, son/daughter,
father/mother, boy/girl, prince/princess, hero/villain, give up/keep going""".replace("\n", " ").split(",")]
IRREGULAR = [tuple(p.strip().split("/")) for p in """be/was, become/became, begin/began, bite/bit, blow/blew, break/broke, bring/brought, build/built,
buy/bought, catch/caught, choose/chose, come/came, cut/cut, do/did, draw/drew, dream/dreamed, drink/drank, drive/drove, eat/ate, fall/fell, feed/fed, feel/felt,
fight/fought, find/found, fly/flew, forget/forgot, freeze/froze, get/got, give/gave, go/went, grow/grew, have/had, hear/heard, hide/hid, hit/hit, hold/held,
keep/kept, know/knew, lead/led, leave/left, lend/lent, lose/lost, make/made, meet/met, pay/paid, put/put, read/read, ride/rode, ring/rang, rise/rose, run/ran,
say/said, see/saw, sell/sold, send/sent, shake/shook, shine/shone, shut/shut, sing/sang, sit/sat, sleep/slept, speak/spoke, spend/spent, stand/stood,
steal/stole, swim/swam, take/took, teach/taught, tell/told, think/thought, throw/threw, understand/understood, wake/woke, wear/wore, win/won, write/wrote,
walk/walked, talk/talked, play/played, work/worked, jump/jumped, look/looked, help/helped, call/called, open/opened, close/closed, cook/cooked,
clean/cleaned, wash/washed, paint/painted, watch/watched, visit/visited, wait/waited, laugh/laughed, smile/smiled, dance/danced, try/tried, cry/cried,
carry/carried, stop/stopped, plan/planned, travel/traveled, start/started, finish/finished, listen/listened, answer/answered, ask/asked""".replace("\n", " ").split(",")]
PLURALS = dict(p.strip().split("/") for p in """child/children, mouse/mice, foot/feet, tooth/teeth, leaf/leaves, city/cities, box/boxes, knife/knives,
woman/women, man/men, goose/geese, party/parties, bus/buses, dish/dishes, story/stories, sheep/sheep, fish/fish, wolf/wolves, wife/wives, life/lives,
shelf/shelves, baby/babies, lady/ladies, country/countries, berry/berries, fox/foxes, watch/watches, glass/glasses, potato/potatoes, tomato/tomatoes,
hero/heroes, cat/cats, dog/dogs, house/houses, tree/trees, book/books, key/keys, boy/boys, day/days, car/cars, apple/apples, chair/chairs, friend/friends,
person/people, ox/oxen, church/churches, brush/brushes, half/halves, thief/thieves, cherry/cherries, puppy/puppies""".replace("\n", " ").split(","))

BANKS = {
    "girl": GIRLS[:60], "boy": BOYS[:60],
    "day": words("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday"),
    "month": words("January, February, March, April, May, June, July, August, September, October, November, December"),
    "daypart": words("morning, afternoon, evening"),
    "color": words("red, blue, green, yellow, white, black, brown, purple, orange, grey, silver, golden, pink, turquoise, beige, violet, dark green, light blue"),
    "size": words("small, big, tiny, huge, tall, little, heavy, light, long, short, enormous, narrow, round, flat, thin, wide"),
    "trait": words("""brave, shy, curious, clever, lazy, gentle, proud, patient, clumsy, cheerful, quiet, lonely, stubborn, kind, careful, hungry, sleepy,
    honest, greedy, wise, grumpy, friendly, nervous, bold, polite, forgetful, loyal, jealous, dreamy, busy, funny, calm, noisy, restless, humble, fearless, generous"""),
    "feeling": words("happy, sad, proud, worried, calm, nervous, excited, tired, grateful, surprised, angry, hopeful, bored, lonely, relieved, confused, disappointed, curious, scared, jealous"),
    "animal": words("""fox, owl, cat, dog, horse, rabbit, bear, mouse, wolf, crow, goat, duck, turtle, frog, donkey, sheep, squirrel, hedgehog, whale, parrot, lion,
    elephant, penguin, bee, deer, tiger, monkey, giraffe, zebra, camel, snake, lizard, crocodile, spider, ant, butterfly, snail, crab, shark, dolphin, seal, otter, beaver,
    badger, raccoon, kangaroo, koala, panda, swan, goose, hen, rooster, pigeon, eagle, hawk, sparrow, raven, heron, cow, pig, mole, bat, moth, beetle, toad, hamster, pony,
    moose, lynx, weasel, peacock, ostrich, octopus, salmon, llama, hippo"""),
    "kind": words("""girl, boy, fox, owl, robot, sailor, baker, gardener, dragon, cat, mouse, painter, king, queen, shepherd, knight, teacher, bear, wizard, fisherman,
    rabbit, clockmaker, princess, dog, turtle, musician, farmer, crow, pirate, giant, witch, ghost, tailor, miller, hunter, inventor, juggler, nurse, doctor, cook, thief,
    postman, hedgehog, penguin, goat, frog, elephant, astronaut, detective, librarian, carpenter, prince, dwarf, mermaid, snail, squirrel, blacksmith, beekeeper, poet"""),
    "place": words("""forest, village, castle, harbor, island, mountain, garden, library, desert, river, lighthouse, market, farm, cave, school, mill, old tower, train station,
    beach, valley, museum, kitchen, bakery, workshop, bridge, attic, cellar, swamp, palace, temple, hospital, airport, park, playground, zoo, theatre, cinema, church, stable,
    barn, orchard, meadow, lake, waterfall, quarry, ruins, inn, prison, tunnel, rooftop, greenhouse, factory, office, café, bookshop, circus, shipyard, vineyard, cliff, jungle"""),
    "object": words("""key, map, lamp, ring, clock, book, letter, coin, drum, kite, mirror, violin, lantern, box, umbrella, hat, boat, seed, feather, stone, bell, compass,
    blanket, basket, candle, crown, painting, telescope, scarf, whistle, rope, bottle, hammer, needle, bucket, broom, ladder, spoon, fork, knife, plate, cup, teapot, pillow,
    chest, wallet, purse, glove, boot, shoe, coat, button, ribbon, pencil, notebook, diary, photo, postcard, ticket, passport, suitcase, guitar, flute, trumpet, doll, ball,
    puppet, puzzle, dice, magnet, battery, torch, helmet, shield, sword, arrow, flag, anchor, oar, net, shell, pearl, crystal, potion, scroll, statue, vase, carpet, wheel, saddle, wagon, barrel, saw, nail, brush, comb, soap, towel, jar, magnifying glass, music box, walking stick, watering can, pocket watch, toy train"""),
    "food": words("""bread, cheese, soup, apples, honey, rice, fish, cake, eggs, beans, potatoes, carrots, pears, nuts, butter, milk, tomatoes, onions, mushrooms, cherries,
    flour, sugar, salt, pepper, garlic, chicken, beef, ham, bacon, sausages, yogurt, cream, pasta, noodles, oats, biscuits, chocolate, jam, grapes, plums, lemons, oranges,
    bananas, spinach, cabbage, peas, corn, cucumbers, peppers, pumpkins, olives, tofu, lentils, raisins, crackers, popcorn, ice cream, pancakes"""),
    "fruit": words("apples, pears, cherries, plums, oranges, grapes, lemons, peaches, strawberries, bananas, melons, figs, mangoes, kiwis, raspberries, blueberries, apricots, pineapples"),
    "dish": words("""pizza, pasta, curry, salad, pancakes, noodle soup, fish tacos, vegetable stew, apple pie, fried rice, chicken soup, lentil soup, omelette, sandwiches,
    burgers, sushi, mushroom risotto, potato salad, lasagne, dumplings, ramen, paella, goulash, tomato soup, roast chicken, meatballs, couscous, falafel, chili, waffles, quiche"""),
    "drink": words("tea, coffee, water, juice, milk, lemonade, cider, hot chocolate, green tea, orange juice, iced tea, soda, mint tea"),
    "job": words("""baker, teacher, doctor, nurse, farmer, driver, painter, writer, engineer, cook, gardener, lawyer, pilot, tailor, plumber, carpenter, designer, librarian,
    manager, musician, dentist, vet, electrician, mechanic, waiter, cashier, accountant, journalist, photographer, actor, singer, dancer, soldier, firefighter, police officer,
    judge, scientist, programmer, secretary, hairdresser, butcher, fisherman, sailor, miner, builder, architect, translator, postman, optician, pharmacist, coach, cleaner"""),
    "product": words("""phone, laptop, lamp, chair, backpack, camera, jacket, bicycle, kettle, watch, tablet, table, blender, printer, tent, keyboard, heater, speaker,
    vacuum cleaner, sofa, desk, mattress, fridge, oven, microwave, toaster, coffee machine, washing machine, fan, monitor, mouse, router, charger, drone, scooter, helmet,
    sleeping bag, suitcase, umbrella, raincoat, sweater, hair dryer, toothbrush, drill, lawn mower, pan, knife set, bookshelf, mirror, carpet"""),
    "activity": words("""swimming, reading, running, cooking, painting, hiking, dancing, fishing, gardening, singing, cycling, drawing, chess, football, tennis, yoga, climbing,
    skating, sailing, rowing, knitting, skiing, camping, baking, photography, basketball, volleyball, judo, surfing, juggling, pottery, bird watching, table tennis, jogging"""),
    "relative": words("mother, father, sister, brother, aunt, uncle, grandmother, grandfather, cousin, neighbor, friend, daughter, son, wife, husband, niece, nephew, boss, roommate, colleague"),
    "weather": words("sunny, rainy, cloudy, windy, snowy, foggy, stormy, warm, cold, hot, icy, humid, mild"),
    "season": words("spring, summer, autumn, winter"),
    "subject": words("history, music, mathematics, science, art, geography, English, biology, physics, chemistry, French, Spanish, economics, philosophy, sports"),
    "room": words("kitchen, living room, bedroom, garage, office, bathroom, hall, garden, attic, cellar, balcony, nursery, laundry room, dining room"),
    "meetingroom": words("meeting room, conference room, office, canteen, library, lobby, training room, main hall"),
    "plan": words("""picnic, concert, birthday party, trip, dinner, workshop, wedding, school play, book club, football match, garden party, art class, museum visit, bike tour, barbecue,
    farewell party, job interview, dentist appointment, parents' evening, film night, flea market, charity run, choir practice, game night, housewarming, lecture, exhibition"""),
    "repair": words("roof, window, door, fence, pump, heater, bridge, wall, gate, sink, oven, lift, boiler, shower, tap, dishwasher, fridge, radiator, light switch, doorbell, chimney, garage door"),
    "instrument": words("piano, guitar, violin, flute, drums, trumpet, cello, harp, clarinet, saxophone, accordion, banjo, organ, ukulele"),
    "transport": words("train, bus, ferry, plane, car, bicycle, tram, boat, taxi, coach, van, motorbike"),
    "reason": words("""the heavy rain, a storm, a broken engine, a strike, a late delivery, strong wind, a power cut, roadworks, a lost key, an illness, thick fog, an accident,
    a flat tyre, the snow, a flood, a fire alarm, a missing signature, a bad cold, a computer problem"""),
}
NUMBER_WORDS = words("zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, twenty")
