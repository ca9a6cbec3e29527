"""Small facts about fifty topics: the knowledge that questions, summaries and keyword tasks draw from."""

_TEXT = """
bees | honey, flowers, hive | Bees live together in a hive. | They collect nectar from flowers. | They turn the nectar into honey. | Bees carry pollen from plant to plant. | One queen lays all the eggs.
volcanoes | lava, mountain, ash | A volcano is a mountain that can open. | Hot melted rock rises from below. | When it comes out it is called lava. | Ash from a volcano can darken the sky. | Old ash makes the soil rich.
bread | flour, oven, dough | Bread is made from flour, water and salt. | Yeast makes the dough rise. | The dough rests before it is baked. | A hot oven gives bread a crisp crust. | People have baked bread for thousands of years.
rain | clouds, water, drops | Rain falls when drops in a cloud become heavy. | The water comes from seas, lakes and rivers. | The sun warms the water and it rises into the air. | Rain fills rivers and feeds plants. | Some deserts get rain only once a year.
the moon | night, tides, light | The moon goes around the earth in about four weeks. | It has no light of its own. | It reflects the light of the sun. | The moon pulls the sea and makes the tides. | People first walked on the moon in 1969.
coffee | beans, cup, caffeine | Coffee is made from roasted beans. | The beans grow on small trees in warm countries. | Hot water draws the taste out of the ground beans. | Coffee contains caffeine, which keeps people awake. | Many people drink it in the morning.
owls | night, hunting, feathers | Owls hunt at night. | Their soft feathers make their flight silent. | They can turn their heads very far. | Owls have large eyes that see in the dark. | They eat mice and other small animals.
whales | ocean, breath, mammals | Whales live in the ocean but breathe air. | They are mammals and feed milk to their young. | The blue whale is the largest animal on earth. | Whales sing to each other over long distances. | Some whales travel thousands of miles each year.
trees | leaves, roots, wood | Trees take water from the soil with their roots. | Their leaves catch the light of the sun. | Trees clean the air and give shade. | Each year the trunk grows one new ring. | Many trees lose their leaves in autumn.
glass | sand, heat, windows | Glass is made from sand that is melted. | It is shaped while it is hot. | When it cools it becomes hard and clear. | Glass is used for windows, bottles and lenses. | Old glass can be melted and used again.
trains | rails, stations, engines | Trains run on rails made of steel. | The first trains were pulled by steam engines. | Today many trains use electric power. | A train can carry many people at once. | Trains use less energy than cars.
the heart | blood, body, beat | The heart pumps blood through the body. | It beats about seventy times a minute. | Blood carries oxygen to every part of the body. | Exercise makes the heart stronger. | The heart is a muscle about the size of a fist.
sleep | rest, dreams, night | Sleep lets the body and the mind rest. | Most adults need about eight hours. | We dream during parts of the night. | Too little sleep makes it hard to think. | A dark and quiet room helps people sleep.
rivers | water, sea, valley | A river carries water from the hills to the sea. | It starts as a small spring or a melting glacier. | Over time it cuts a valley into the land. | Many towns were built beside rivers. | Rivers give water to fields and homes.
salt | sea, food, cooking | Salt comes from the sea or from mines. | It makes food taste better. | In the past it was used to keep meat fresh. | The body needs a little salt every day. | Too much salt is bad for the heart.
clocks | time, hours, hands | A clock shows the time of day. | Old clocks used the sun, water or sand. | Later clocks had a swinging weight. | Most clocks have a long hand and a short hand. | Modern clocks use a tiny crystal.
snow | winter, ice, cold | Snow is made of small crystals of ice. | It falls when the air is cold. | Every snow crystal has six arms. | Snow protects plants from hard frost. | Children like to build figures from it.
honey | bees, sugar, jar | Honey is made by bees from nectar. | It is sweet because it is mostly sugar. | Honey stays good for many years. | Its color depends on the flowers. | People eat it on bread or in tea.
books | pages, reading, stories | A book is made of many pages. | Books keep stories and knowledge for a long time. | The first books were written by hand. | Printing made books cheap. | Libraries lend books to everyone.
bicycles | wheels, pedals, riding | A bicycle has two wheels and two pedals. | The rider turns the pedals with the feet. | A chain moves the back wheel. | Riding a bicycle is good for health. | Bicycles make no smoke and little noise.
chess | board, pieces, king | Chess is a game for two players. | It is played on a board with sixty-four squares. | Each player has sixteen pieces. | The goal is to trap the other king. | The game is very old and came from India.
tea | leaves, water, cup | Tea is made from the leaves of a bush. | Hot water is poured over the dry leaves. | Green tea and black tea come from the same plant. | Tea is the most popular drink after water. | Many people drink it with milk or lemon.
gold | metal, coins, jewelry | Gold is a soft yellow metal. | It does not rust. | People make coins and rings from it. | It is found in rocks and in rivers. | Gold is rare, so it is expensive.
penguins | ice, fish, birds | Penguins are birds that cannot fly. | They are very good swimmers. | They live in the cold south. | Penguins eat fish. | They stand close together to keep warm.
elephants | trunk, herd, africa | Elephants are the largest animals on land. | They use the trunk to drink and to lift things. | They live in herds led by an old female. | Elephants eat grass, leaves and fruit. | They remember places for many years.
spiders | web, silk, insects | Spiders have eight legs. | Many of them build a web of silk. | The web catches insects. | The silk is very strong. | Most spiders are harmless to people.
music | notes, songs, rhythm | Music is made of notes and rhythm. | People sing and play instruments together. | Music can make us happy or calm. | Every country has its own songs. | Learning music trains the ear and the mind.
paper | wood, printing, writing | Paper is made from wood. | The wood is cut and cooked to a soft pulp. | The pulp is pressed flat and dried. | Paper was invented in China. | Old paper can be recycled.
cheese | milk, cows, taste | Cheese is made from milk. | The milk comes from cows, goats or sheep. | Salt and time give cheese its taste. | Some cheese rests for more than a year. | There are thousands of kinds of cheese.
the sun | light, heat, star | The sun is a star. | It gives the earth light and heat. | Its light needs eight minutes to reach us. | Plants grow with the light of the sun. | The sun is much larger than the earth.
wind | air, weather, sails | Wind is moving air. | It blows because the sun warms some places more than others. | Wind fills the sails of boats. | Large wheels turn wind into power. | Strong wind can break trees.
bridges | river, road, stone | A bridge lets people cross a river or a road. | Old bridges were made of wood or stone. | Modern bridges are made of steel. | Some bridges hang from strong cables. | A bridge must be checked every few years.
potatoes | soil, food, harvest | Potatoes grow under the soil. | They came to Europe from South America. | They can be boiled, baked or fried. | Potatoes are harvested in late summer. | They should be kept in a cool dark place.
cats | pets, mice, sleep | Cats sleep for most of the day. | They hunt mice and birds. | They clean their fur with the tongue. | Cats see well in the dark. | Many people keep cats as pets.
dogs | pets, smell, walks | Dogs are loyal to their owners. | They have a very good sense of smell. | A dog needs a walk every day. | Dogs can guard sheep and houses. | Some dogs help blind people.
stars | sky, night, light | Stars are very hot balls of gas. | They look small because they are far away. | Sailors used the stars to find their way. | Some stars are older than the sun. | Groups of stars have names.
lighthouses | ships, coast, light | A lighthouse stands on the coast. | Its strong light warns ships of rocks. | In the past a keeper lived inside. | Each lighthouse has its own rhythm of light. | Today most of them work alone.
soap | water, oil, washing | Soap is made from oil and ash or soda. | It helps water to remove dirt. | Washing hands with soap stops illness. | Soap can be hard or liquid. | Many soaps smell of flowers.
frogs | ponds, jumping, insects | Frogs live near ponds and rivers. | They lay their eggs in water. | Young frogs have a tail and no legs. | Frogs catch insects with a long tongue. | They can jump very far.
tomatoes | garden, red, sauce | Tomatoes grow best in warm sun. | They are red when they are ripe. | People use them for sauce and salad. | A tomato plant needs a stick to climb. | Tomatoes need water every day.
maps | paths, countries, travel | A map shows a place from above. | It tells travelers where roads and rivers are. | Old maps were drawn by hand. | North is usually at the top. | Today most people use maps on their phones.
deserts | sand, heat, dry | A desert is a very dry place. | Some deserts are hot and some are cold. | Plants there store water in their stems. | Many animals sleep during the day. | The largest hot desert is in Africa.
horses | riding, farm, grass | Horses eat grass and hay. | They can sleep while standing. | People ride horses and let them pull wagons. | A young horse can walk after one hour. | Horses live about twenty-five years.
teeth | mouth, brush, sugar | Teeth help us to chew food. | Sugar can hurt the teeth. | Brush your teeth twice a day. | Children lose their first teeth. | A dentist can repair a tooth.
batteries | power, charge, energy | A battery stores energy. | It gives power to phones and toys. | Some batteries can be charged again. | Cold makes a battery weaker. | Old batteries belong in a special bin.
glaciers | ice, mountains, valley | A glacier is a slow river of ice. | It forms where snow falls year after year. | Glaciers move a little every day. | They cut deep valleys into the mountains. | Many glaciers are shrinking.
libraries | books, reading, quiet | A library keeps books for everyone. | Readers can borrow a book for some weeks. | Most libraries are quiet places. | Many also lend films and music. | A librarian helps people to find what they need.
markets | food, stalls, selling | A market is a place where people sell things. | Farmers bring fruit and vegetables. | The stalls open early in the morning. | Prices are often lower at the end of the day. | Markets are also good places to meet people.
apples | fruit, trees, autumn | Apples grow on trees. | They are ripe in autumn. | There are red, green and yellow apples. | People make juice and pie from them. | An apple stays fresh in a cool cellar.
exercise | health, running, body | Exercise keeps the body strong. | Half an hour each day is enough for most people. | Walking is a simple kind of exercise. | It also helps people to sleep. | Drink water after exercise.
"""


def _parse():
    topics = {}
    for line in _TEXT.strip().splitlines():
        name, keywords, *facts = [p.strip() for p in line.split("|")]
        topics[name] = ([k.strip() for k in keywords.split(",")], facts)
    return topics


TOPICS = _parse()
