"""Word banks. ENTITIES are split between training and held-out text word by word; BANKS are shared by both."""


def words(text):
    return [w.strip() for w in text.replace("\n", ",").split(",") if w.strip()]


GIRLS = words("""Anna, Maria, Lena, Clara, Sofia, Emma, Nora, Ruth, Alice, Julia, Rosa, Ines, Mila, Hannah, Greta, Olive, Priya, Amara,
Yuki, Leila, Freya, Carmen, Daphne, Elsa, Fiona, Grace, Helen, Iris, Joan, Kate, Lucy, Marta, Nina, Paula, Rita, Sara, Tessa, Vera, Zoe, Bella,
Chloe, Dora, Edith, Flora, Gwen, Hilda, Ivy, Jade, Layla, Mabel""")
BOYS = words("""Tom, Ben, Omar, Luis, David, Peter, Karim, Jonas, Felix, Hugo, Marco, Ivan, Oscar, Leo, Samuel, Victor, Adam, Bruno, Chen,
Diego, Erik, Frank, George, Henry, Isaac, Jack, Kofi, Liam, Martin, Noah, Otto, Paul, Ravi, Simon, Theo, Walter, Yusuf, Aaron, Boris, Carl, Daniel,
Emil, Finn, Gustav, Harold, Jakob, Kenji, Lars, Milo, Nils""")
ENTITIES = {
    "name": GIRLS + BOYS,
    "surname": words("""Smith, Miller, Garcia, Brown, Keller, Novak, Silva, Rossi, Patel, Kim, Tanaka, Berg, Hughes, Carter, Lopez, Weber, Moreau,
    Jansen, Murphy, Adler, Baker, Cooper, Dalton, Evans, Fischer, Grant, Hill, Ito, Jensen, King, Lund, Marsh, Nolan, Olsen, Perry, Quinn, Reed,
    Stone, Turner, Vance, Walsh, York, Zeller, Banks, Cole, Drake"""),
    "city": words("""Paris, London, Berlin, Madrid, Rome, Lisbon, Vienna, Oslo, Dublin, Prague, Athens, Cairo, Tokyo, Seoul, Boston, Chicago,
    Denver, Seattle, Toronto, Sydney, Mumbai, Nairobi, Lima, Porto, Geneva, Munich, Milan, Naples, Seville, Bergen, Krakow, Budapest, Warsaw, Hamburg,
    Lyon, Bristol, Leeds, Glasgow, Austin, Dallas"""),
    "town": words("""Willow Bay, Stonebridge, Oakfield, Riverton, Greenhill, Ashford, Millbrook, Fairview, Northgate, Eastwick, Silver Lake,
    Thornbury, Redcliff, Summerton, Maplewood, Harborview, Winterfell Road, Brookside, Elmstead, Clearwater"""),
    "street": words("""Oak Street, Mill Lane, Park Road, Station Road, River Street, Garden Avenue, Hill Road, Market Street, School Lane, Bridge Street,
    King Street, Church Road, Lake Drive, Forest Avenue, Harbor Way, Elm Street, Pine Road, Rose Lane"""),
    "company": words("""Northwind, Bluestone, Green Leaf, Sunrise Labs, Oakline, Riverbank, Skyport, Redbrick, Clearpath, Silverline, Brightside,
    Moonlight Foods, Stonegate, Harbor Tools, Pinecone, Fastlane, Goldfinch, Wildflower, Ironworks, Bluebird"""),
}
BANKS = {
    "girl": GIRLS[:45], "boy": BOYS[:45],
    "day": words("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday"),
    "month": words("January, February, March, April, May, June, July, August, September, October, November, December"),
    "daypart": words("morning, afternoon, evening"),
    "time": words("8:00, 8:30, 9:00, 9:15, 9:30, 10:00, 10:30, 11:00, 11:45, 12:30, 1:00, 1:30, 2:00, 2:45, 3:00, 3:30, 4:00, 4:15, 5:00, 5:30, 6:00, 6:45, 7:00, 7:30"),
    "color": words("red, blue, green, yellow, white, black, brown, purple, orange, grey, silver, golden, pink"),
    "size": words("small, big, tiny, huge, tall, little, heavy, light, long, short"),
    "trait": words("brave, shy, curious, clever, lazy, gentle, proud, patient, clumsy, cheerful, quiet, lonely, stubborn, kind, careful, hungry, sleepy, honest, greedy, wise"),
    "feeling": words("happy, sad, proud, worried, calm, nervous, excited, tired, grateful, surprised, angry, hopeful"),
    "animal": words("fox, owl, cat, dog, horse, rabbit, bear, mouse, wolf, crow, goat, duck, turtle, frog, donkey, sheep, squirrel, hedgehog, whale, parrot, lion, elephant, penguin, bee, deer"),
    "kind": words("girl, boy, fox, owl, robot, sailor, baker, gardener, dragon, cat, mouse, painter, king, queen, shepherd, knight, teacher, bear, wizard, fisherman, rabbit, clockmaker, princess, dog, turtle, musician, farmer, crow"),
    "place": words("forest, village, castle, harbor, island, mountain, garden, library, desert, river, lighthouse, market, farm, cave, school, mill, old tower, train station, beach, valley, museum, kitchen, bakery, workshop, bridge"),
    "object": words("key, map, lamp, ring, clock, book, letter, coin, drum, kite, mirror, violin, lantern, box, umbrella, hat, boat, seed, feather, stone, bell, compass, blanket, basket, candle, crown, painting, telescope, scarf, whistle"),
    "food": words("bread, cheese, soup, apples, honey, rice, fish, cake, eggs, beans, potatoes, carrots, pears, nuts, butter, milk, tomatoes, onions, mushrooms, cherries"),
    "fruit": words("apples, pears, cherries, plums, oranges, grapes, lemons, peaches, strawberries, bananas, melons, figs"),
    "dish": words("pizza, pasta, curry, salad, pancakes, noodle soup, fish tacos, vegetable stew, apple pie, fried rice, chicken soup, lentil soup, omelette, sandwiches, burgers, sushi, mushroom risotto, potato salad"),
    "drink": words("tea, coffee, water, juice, milk, lemonade, cider, hot chocolate"),
    "job": words("baker, teacher, doctor, nurse, farmer, driver, painter, writer, engineer, cook, gardener, lawyer, pilot, tailor, plumber, carpenter, designer, librarian, manager, musician"),
    "product": words("phone, laptop, lamp, chair, backpack, camera, jacket, bicycle, kettle, headphones, watch, tablet, table, blender, printer, tent, keyboard, heater, speaker, vacuum cleaner"),
    "activity": words("swimming, reading, running, cooking, painting, hiking, dancing, fishing, gardening, singing, cycling, drawing, chess, football, tennis, yoga, climbing, skating"),
    "relative": words("mother, father, sister, brother, aunt, uncle, grandmother, grandfather, cousin, neighbor, friend, daughter, son"),
    "weather": words("sunny, rainy, cloudy, windy, snowy, foggy, stormy, warm, cold"),
    "season": words("spring, summer, autumn, winter"),
    "subject": words("history, music, mathematics, science, art, geography, English, biology, physics, chemistry"),
    "room": words("kitchen, living room, bedroom, garage, office, bathroom, hall, garden, attic, cellar"),
    "plan": words("picnic, concert, birthday party, trip, dinner, workshop, wedding, school play, book club, football match, garden party, art class, museum visit, bike tour"),
    "repair": words("roof, window, door, fence, pump, heater, bridge, wall, gate, sink, oven, lift"),
    "instrument": words("piano, guitar, violin, flute, drums, trumpet, cello, harp"),
    "transport": words("train, bus, ferry, plane, car, bicycle, tram, boat"),
    "reason": words("the heavy rain, a storm, a broken engine, a strike, a late delivery, strong wind, a power cut, roadworks, a lost key, an illness"),
}
NUMBER_WORDS = words("zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve")
