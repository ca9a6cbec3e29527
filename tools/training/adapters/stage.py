"""What plays are made of: characters, places, things and plots for `playwriting`.

A plot is a list of exchanges, each two lines long: an opening, some in the middle of which a few are played, and an end. `{o}` is the one who is spoken
to, `{the}` the thing with its article, `{it}`, `{is}`, `{was}` and `{has}` agree with it, `{place}` is the place with its article and `{at}` with its preposition.
"""

from corpus.words import BANKS, words

KINDS = list(dict.fromkeys(BANKS["kind"] + words("""boy, girl, grandmother, grandfather, captain, clown, beggar, duchess, innkeeper, lighthouse keeper, night watchman, mechanic, pilot, scarecrow, snowman, giant, troll, elf, goblin, fairy,
    unicorn, vampire, mummy, alien, time traveller, scientist, magician, acrobat, ballerina, opera singer, conductor, bus driver, mayor, policewoman, judge, banker, barber, cobbler, weaver, potter, goldsmith, candlemaker, hermit, monk, nun, bard,
    messenger, spy, bandit, sheriff, cowboy, camel, donkey, goose, heron, lion, mole, moose, ostrich, otter, parrot, peacock, pig, raccoon, seagull, sheep, snake, spider, swan, tiger, toad, whale, wolf, octopus, lobster, ant, bee, beetle, butterfly, cricket,
    firefly, lizard, hamster, kangaroo, zebra, giraffe, monkey, hippo, badger, bat, mosquito, caterpillar, statue, teddy bear, puppet, tin soldier, moon, cloud, river, broom, clock, old tree, vacuum cleaner, traffic light, teapot, shadow, sparrow, hen, rooster, duck, horse, deer, grandson, student, photographer, tourist, waiter, dentist, cleaner, lifeguard, gravedigger, jester, emperor, viking, caveman, neighbour, twin, orphan, stranger""")))
# Characters who are asked for together, and what each of them is.
GROUPS = {"two brothers": "brother", "two sisters": "sister", "two friends": "friend", "two best friends": "friend", "two robots": "robot", "two old ladies": "old lady", "two penguins": "penguin", "two mice": "mouse", "two children": "child", "two thieves": "thief", "two knights": "knight", "two neighbours": "neighbour", "two sailors": "sailor", "a pair of ghosts": "ghost",
    "two witches": "witch", "two clowns": "clown", "two frogs": "frog", "the twins": "twin", "two strangers": "stranger", "two snowmen": "snowman", "two cats": "cat", "two girls": "girl", "two boys": "boy", "two astronauts": "astronaut", "two detectives": "detective", "two dragons": "dragon", "two kings": "king", "two cooks": "cook", "two pirates": "pirate"}
TRAITS = BANKS["trait"] + words("grumpy, tired, clever, vain, strict, young, old, tiny, rude, sly, dreamy, talkative, silent, absent-minded, cheeky, retired, famous, unlucky, homesick, near-sighted, superstitious, impatient, elegant, ragged, mysterious, cowardly, sleepy")
NAMES = words("""Astou, Binh, Caoimhe, Dagmar, Esperanza, Femi, Gudrun, Hyun, Ines, Jamila, Kwabena, Laszlo, Mbali, Nikos, Oluwaseun, Przemek, Quirin, Roisin, Siddharth, Tuuli, Ulrike, Vasilis, Wioletta, Xavier, Yevgeny, Zdenka, Anouk, Baptiste, Clotilde, Dimitra, Eirlys, Fyodor,
    Ghislaine, Hrvoje, Ilse, Jaakko, Krisztina, Llewellyn, Marisa, Nokuthula, Orla, Paavo, Ragnhild, Soledad, Thorsten, Uma, Violeta, Wolfgang, Xochitl, Ylva, Zsuzsa, Aroha, Bao, Chinwe, Dorji, Etsuko, Farah, Gaspard, Habib, Isidora, Jorge, Kahu, Lupita, Mirek, Nandini,
    Ottilie, Parvati, Rashida, Sumi, Tendai, Ursula, Vincenzo, Wren, Yara, Zoltan, Gretel, Hansel, Bob, Sue, Ann, Al, Jo, Bo, Ty, Ed, Kit, Fritz, Heidi, Pippa, Ruby, Sunny, Dot, Bertie, Mo, Lulu, Ziggy, Otis, Juno, Atlas, Clementine, Rosalind, Bartholomew, Ignatius, Cornelius, Philippa, Marguerite, D'Arcy, O'Malley, Anne-Marie, Jean-Luc,
    Mary Ann, Zoë, Chloë, Søren, Åsa, Øyvind, Ünal, Çelik, Şirin, Łukasz, Ján, Řehoř, Miloš, Ñusta, Björk, Núria, André, Inês, Joël""")
TITLES = words("Captain, Mr, Mrs, Miss, Doctor, Dr, Professor, King, Queen, Princess, Prince, Aunt, Uncle, Grandma, Grandpa, Sir, Lady, Old, Little, Big, Inspector, Madame, Sergeant, Count, Baron, Granny")
NICKNAMES = words("Robo-7, Pixel, Whiskers, Sparky, Bubbles, Pumpkin, Snowball, Sooty, Rusty, Patch, Thunder, Cookie, Zip, Beep, Unit 9, Moonbeam, Barnacle, Thimble, Button, Pickle, Nutmeg, Puddle, Marmalade, Captain Crumb, Half-Moon, Biscuit, Tick, Tock, Quill, Ember")
COLOURS = words("red, blue, golden, silver, green, black, white, crimson, purple, yellow, pink, grey, copper")
# What a place may be near to, and nobody inside of.
BESIDE = words("inside, near, outside, behind, beside, next to, in front of, close to, not far from, at the door of")
ADJECTIVES = words("old, lost, broken, stolen, tiny, huge, magic, rusty, strange, forgotten, singing, glowing, wooden, invisible, hidden, empty, heavy, dusty, enchanted, missing, locked, ancient, precious, crooked, frozen, torn, secret, talking, cracked, shiny, last, unfinished, mysterious, borrowed, cursed, half-eaten, wet, paper, glass, iron, stone, velvet")
OBJECTS = [x for x in BANKS["object"] if x not in ("wagon",)] + words("""alarm clock, balloon, banjo, birthday cake, bicycle, bowl of soup, cake, camera, chair, chessboard, cookie jar, cuckoo clock, dragon egg, egg, elevator, envelope, feather bed, flying carpet, football, frying pan, gingerbread house, golden egg, hot-air balloon, hourglass, ice cream, invitation,
    jewel, kettle, lamp post, lighthouse lamp, lunch box, map of the stars, medal, microphone, moustache, necklace, newspaper, old radio, omelette, paint box, parachute, parcel, pearl necklace, piano, pie, pizza, pocket mirror, pot of gold, pumpkin, recipe, red balloon, robot arm, rocking chair, rowing boat, rubber duck, sandwich,
    secret recipe, ship in a bottle, sledge, snow globe, soup spoon, spaceship, spinning wheel, steering wheel, submarine, sunflower, sweater, tambourine, tent, throne, tin can, top hat, toothbrush, treasure map, tree house, typewriter, unicycle, vacuum cleaner, wand, washing machine, watch, wedding ring, wheelbarrow, wig, xylophone, yo-yo, love letter, message in a bottle, music sheet, birthday present, fishing rod, skeleton key, wool hat, violin bow, teddy bear, time machine, crystal ball, chocolate bar, apple, pear, onion, cheese, wishbone, telephone, lottery ticket, bus ticket, library book, mask, costume, door handle, doorbell, black & white photo, salt & pepper pot, jar of "moon dust\"""")
PLURALS = words("keys, coins, buttons, boots, shoes, letters, candles, apples, eggs, feathers, glasses, pearls, seeds, stones, socks, mittens, cookies, dragon eggs, tickets, maps, balloons, pancakes, spoons, umbrellas, marbles, bells, kites, mirrors, roses, wishes, hats, gloves, drums, crowns, puzzle pieces, magic beans, suitcases")
MASS = words("honey, gold, bread, soup, salt, snow, music, tea, chocolate, glue, ink, moonlight, popcorn, treasure, stardust, jam, milk, cheese, wool, soap")
ANIMALS = words("dog, cat, goat, parrot, pony, owl, kitten, puppy, hen, turtle, penguin, elephant, dragon, hedgehog, rabbit, fox cub, seagull, goldfish, unicorn, whale, donkey, baby bear, lamb, duckling, squirrel, monkey, camel, goose, mouse, snail, bee, frog, crow, wolf, ghost, robot")
ANIMAL_ADJECTIVES = words("lost, hungry, lonely, frightened, talking, runaway, sleepy, singing, injured, tiny, stubborn, clever, invisible, stray, wet, three-legged, missing, cheeky, homeless, shy")
EVENTS = words("a storm, a birthday party, the first snow, a power cut, a long journey, a wedding, a school trip, a race, a football match, a picnic, a concert, a thunderstorm, an exam, a farewell, a dance contest, a treasure hunt, a cooking contest, a camping trip, an eclipse, a flood, a parade, a lost bet, a strange dream, a bad joke, a secret, a quarrel, a promise, a misunderstanding, a big mistake, a surprise party, a summer holiday, a moving day, a midnight feast, the harvest, the last day of school, New Year's Eve, a wish, a riddle, a rumour, a visit to the dentist")
THEMES = words("friendship, courage, honesty, homesickness, patience, jealousy, kindness, loneliness, sharing, forgiveness, hope, fear of the dark, trust, luck, bedtime, silence, happiness, growing up, winning and losing, saying sorry")
PLACES = words("""in a lighthouse, in a forest, in the kitchen, in a castle, in an old tower, at a railway station, on a train, on a ship, on a pirate ship, in a bakery, in a library, in the garden, on the roof, on an island, on the moon, in space, on a spaceship, at school, in a classroom, in a cave, in the attic, in the cellar, in a museum, at the zoo, in a circus tent, at the market, in a market square, at the harbour,
    on the beach, on a bridge, under a bridge, in a tunnel, in a lift, in an elevator, in a hospital, in a waiting room, at the dentist's, in a theatre, behind the stage, in a cinema, in a toy shop, in a bookshop, in a barber shop, in a hat shop, in a pet shop, in a supermarket, in a shopping mall, in a laundry, in a post office, in a bank, in a prison, in a courtroom, in a police station, in a hotel, in a hotel lobby, at a campsite, in a tent, in the desert, in the jungle,
    in a swamp, in the mountains, on a mountain top, on a glacier, at the North Pole, in an igloo, in a village, in a small town, on a farm, in a barn, in a stable, in a henhouse, in an orchard, in a vineyard, in a greenhouse, in a mill, in an old mill, in a workshop, in a garage, in a factory, in a chocolate factory, in a laboratory, at an airport, on a plane, at a bus stop, on a bus, on a night bus, in a taxi, in a submarine, at the bottom of the sea, in a shipwreck,
    by a lake, on a lake, by the river, at a waterfall, at a well, by the fire, in a park, at a playground, on a swing, in a tree house, in a birdhouse, in a nest, on a cloud, in a dream, in a haunted house, in a ghost town, in a graveyard, in a temple, in a palace, in a throne room, in a tavern, in an inn, in a cafe, in a restaurant, in a pizzeria, in an ice cream parlour, at a birthday party, at a wedding, at a football stadium, in a gym, in a swimming pool, on a ski lift,
    in a snowstorm, in a storm, in a flower shop, in a fish & chip shop, in a clock tower, in a bell tower, in a windmill, in a quarry, in a mine, in a ruined chapel, in a secret passage, in a maze, in a rose garden, on a balcony, in a doll's house, in a wardrobe, under a bed, under the stairs, in a big city, on a rooftop, in a traffic jam, at a petrol station, at a crossroads, in a cornfield, in a meadow, in a backyard, at grandma's house, in the old harbour, in an empty theatre, in a dark forest, in a tiny kitchen, in a snowy village, in a noisy canteen, on a deserted island, in Grandpa's garage, in Aunt Rosa's kitchen, in Mr Miller's shop, at the dragon's cave, on a hill, on a boat, on a raft, in a hot-air balloon, in a sandpit, in a bathtub, in a basement, in a laboratory, in a dining car, at a ferry landing, in a monastery, in a cloakroom, in a nursery, at an observatory, in a planetarium, in a sawmill, at an inn, in a lost property office, in a volcano, in a car, in a car park, in a rowing boat, at the king's court, in a dungeon, on a battlefield, in a wine cellar, on the stairs, in a corridor, in a studio, on a film set, in a repair shop, in a bike shop, in a dance hall, in a spaceport""")

OBJECT_PLOTS = {
    "lost": [
        ["{o}, have you seen {the}?|{o}, {the} {has} disappeared!|I have looked everywhere, {o}. No trace of {the}!|Help me, {o}! I cannot find {the}.", "{The}? [Not since this morning|I thought you had {it}|{it} {was} here a minute ago].|Calm down. When did you last see {the}?|Did you look under your own hat?"],
        ["I [searched|turned over] every corner of {place}.|I remember every step, only not the last one.|What will my [mother|uncle|teacher] say?", "Then we search again, slowly this time.|Close your eyes and think.|Someone [took|hid] {it}, I am sure of it."],
        ["Shh! Something [moved|rattled|sneezed] behind you.|Look, fresh footprints {at}!", "[A mouse|The wind|A cat], nothing more.|Follow me, but quietly."],
        ["Without {the} the whole [day|evening|plan] is ruined.|I only wanted to look after {it}.", "Nothing is ruined while we two are looking.|You worry too much, {o}."],
        ["Wait... what have you got in your [pocket|basket|sleeve]?|There! Right behind you!|Stop! What is that on your head?", "[Oh! {The}!|Oh dear. {The}! All the time!|I am so sorry, {o}. {The} {was} with me.]|You found {it}! You are a hero, {o}."],
    ],
    "found": [
        ["Look what I found {at}, {o}!|{o}, come here! I found {the}!|You will not believe it, {o}. {The}, just lying there!", "{The}? Who would leave {it} here?|Let me see! Really {the}?|Careful! Do not touch {the}."],
        ["Should we keep {it}?|Maybe {it} {is} worth a fortune.", "No. Somebody has lost {it} and must be sad now.|First we ask everyone {at}."],
        ["There is a name [on the bottom|scratched into the side]. I cannot read it.|{it} {is} still warm!", "Hold {it} into the light. Oh! That is the name of the old queen.|Then the owner is not far away."],
        ["Do you hear that? Someone is [crying|calling|singing] outside.|Someone is coming!", "Then let us ask what is wrong.|Quick, behind the curtain!"],
        ["So we give {the} back?|My heart says: give {it} back.", "Yes. And perhaps there will be cake.|Yes. Finding a friend is better than finding {the}."],
    ],
    "gift": [
        ["Happy birthday, {o}! Guess what is in this parcel.|I brought you something, {o}. Close your eyes!|{o}, this is for you.", "For me? I never get presents!|{The}! How did you know?|It is not even my birthday, {o}."],
        ["I carried {it} all the way to {place}.|I saved for {it} for a whole year.|I made {it} myself.", "You should not have done that.|Nobody has ever done that for me."],
        ["Do you not like {it}?|You look so sad. What is wrong?", "I love {it}. I just have nothing for you.|I cry because I am happy."],
        ["Try {it}! Go on!|Show me what one does with {it}.", "Oh! That tickles!|Like this? No. Like that? Yes!"],
        ["You gave me your friendship. That is enough.|Then share {the} with me.", "From today {the} {is} ours, yours and mine.|Come here and let me hug you, {o}."],
    ],
    "broken": [
        ["Oh no, {o}! I dropped {the}.|{o}, promise not to be angry. It is about {the}.|Do not come in, {o}! There has been a little accident with {the}.", "Not {the}! [What happened|How could you]?|Into how many pieces?|Deep breath. Show me."],
        ["I only wanted to dust {it}.|A bee flew into my ear!|I was dancing, and then I was not.", "Dust? {At_cap}? There is none.|A bee! They always say it was a bee.|Dancing! {At_cap}!"],
        ["Can you mend {it}?|Do you have any glue?", "I have string, chewing gum and hope.|I can mend almost everything. Hold this."],
        ["A bit to the left. No, my left!|Is it supposed to make that noise?", "Patience. Good work takes time.|Hush, I am thinking."],
        ["Better than before!|Will anyone notice?", "Next time we do it outside, {o}.|Nobody will ever know. Except us two."],
    ],
    "quarrel": [
        ["{The} belong{s} to me, {o}!|Give me {the} at once, {o}!|Hands off! {The} {is} mine, {o}!", "Yours? I saw {it} first!|Who says so?|Ask politely, then perhaps."],
        ["I have waited {small} years for {it}.|You do not even know what {it} {is} for!", "Of course I know. Everybody {at} knows.|And I have waited {small} years and one day!"],
        ["Let go!|Then we fight. With pillows!", "You let go first!|If we pull any harder, {the} will break."],
        ["We could take turns.|We could ask somebody wise.", "You on Mondays, me on Tuesdays?|And who decides?"],
        ["I am sorry that I shouted.|To be honest, I only wanted someone to play with.", "Me too. Let us share {the}.|Then put {it} down, and let us play, {o}."],
    ],
    "thief": [
        ["Nobody leaves {place}! {The} {has} been stolen, {o}.|{o}, where were you last night at nine?|There is a thief {at}, {o}. {The} {is} gone.", "Stolen? Who would steal {the}?|I was asleep! Ask my pillow.|Then lock the doors, quickly!"],
        ["I found a clue: crumbs of [cake|cheese|toast].|There is jam on your sleeve.", "Crumbs! Then the thief was hungry.|I can explain the jam."],
        ["Only we two had a key.|Somebody here is not telling the truth.", "And the window? Look, it is open!|Do you not trust me any more?"],
        ["Turn out your pockets, please.|Let us set a trap.", "A nail, a nut and half a poem. Are you happy now?|A trap! With cheese. What a plan."],
        ["So it was the [magpie|wind|cat] all along!|Case closed. {The} {was} in the teapot.", "You are a great detective, {o}.|And you owe me an apology and a biscuit."],
    ],
    "magic": [
        ["Whatever you do, {o}, do not touch {the}.|They say {the} can grant one wish, {o}.|At midnight {the} will begin to glow, {o}.", "Too late. I touched {it}.|One wish? Only one?|You and your stories!"],
        ["Why are you [floating|turning green|speaking in rhymes]?|Say the magic words!", "I feel light as a feather!|Abra... what was the rest?"],
        ["What do you wish for?|Do not waste the wish!", "I wish for a sandwich. Oops.|I wish everyone {at} could laugh again."],
        ["The ground is shaking!|Listen, everything is humming.", "Hold my hand.|It is a lullaby. My grandmother sang it."],
        ["The light has gone out. Was that all?|And now the magic is used up.", "No. Look at us: we are not afraid any more.|Some magic stays, {o}."],
    ],
    "bargain": [
        ["Come closer, {o}! Today only: {the}!|How much do you want for {the}, {o}?|I would like to buy {the}, {o}.", "For you? {small} gold coins and a song.|{The} {is} not for sale.|A fine choice! {it} {was} once owned by a queen."],
        ["That is far too much!|I have only this old button.", "Too much? Feel how heavy!|A button! I have looked for this button for years!"],
        ["There is a scratch, right here.|My donkey would laugh at that price.", "That scratch is history, my friend.|Then let your donkey pay."],
        ["What if I sing for you?|I could work for you {at}.", "Sing, then. But not too loudly.|Can you sweep? Can you tell jokes?"],
        ["Shake hands?|So it is a deal?", "Deal. And take good care of {the}.|You drive a hard bargain, {o}. Take {it} for free."],
    ],
    "watch": [
        ["It is our turn to guard {the}, {o}.|Do not fall asleep, {o}. We must watch over {the}.|All night {at}, {o}, only we two and {the}.", "I am not tired at all. Only my eyes are.|What is so special about {the}, anyway?|Did you bring something to eat?"],
        ["Did you hear that?|There is a shadow near the door.", "That was my stomach.|That is your own shadow."],
        ["Tell me a story, or I fall asleep.|Are you ever afraid?", "Once upon a time there were two tired guards...|Sometimes. But never when you are here."],
        ["What would you do with {it}?|Let us just look. One little look.", "I would show {it} to my grandmother.|No looking! Well... one little look."],
        ["The sun is coming up!|Listen, the first bird!", "And {the}? Still here. We did it!|We are the best guards of all, {o}."],
    ],
    "map": [
        ["According to this old letter, {the} must be {at}, {o}.|Ten steps from the door, then dig. That is where {the} should be, {o}.|{o}, I know where {the} {is}!", "You said that yesterday too.|Then what are we waiting for?|Is it dangerous?"],
        ["Seven, eight, nine... or was it eight again?|Bring the spade!", "You count like a chicken.|My arms hurt. Can we rest?"],
        ["I hit something hard!|It sounds hollow here.", "Let me see! Let me see!|That is my foot!"],
        ["Only an old boot.|A box! But it is locked.", "Dig deeper.|Try the hairpin."],
        ["There! {The}!|We did it! {The}, after all these years!", "And I thought you made it all up.|Nobody will believe us, {o}."],
    ],
    "use": [
        ["What do you do with {the}, {o}?|{o}, why are you carrying {the} around?|Everyone {at} is talking about you and {the}, {o}.", "I practise for the great day.|I cannot tell you. It is a secret.|I am trying to find out what {it} {is} good for."],
        ["May I try?|A secret? I am as silent as a stone.", "Only with clean hands.|As silent as a stone with a big mouth!"],
        ["Not like that!|Turn {it} the other way round!", "Are you the expert or am I?|Oh. You are right."],
        ["Everyone will laugh at us.|What if it goes wrong?", "Then we laugh with them.|Then we try again tomorrow."],
        ["I did it! Did you see that?|Now you, {o}!", "The best thing I have ever seen {at}!|Together: one, two, three!"],
    ],
    "return": [
        ["Long ago I borrowed {the} from you, {o}.|I have come a long way to bring you {the}, {o}.|Do you remember {the}, {o}?", "{The}! I had almost forgotten.|You? After all these years?|Who are you? Step into the light."],
        ["I was ashamed to come back.|I got lost twice on the way to {place}.", "You have become thin. Sit down and eat.|I was never angry with you."],
        ["Do you still live {at} all alone?|What happened to the others?", "Alone with my memories and a [cat|goose].|They moved away, one by one."],
        ["May I stay until the rain stops?|Is there still soup on Sundays?", "Stay as long as you like.|There is, and now there are two of us to eat it."],
        ["Then everything is good again?|Here, take {the}. {it} {was} always yours.", "Keep {the}. I would rather keep my friend.|Now {the} {is} home, and so are you, {o}."],
    ],
}
ANIMAL_PLOTS = {
    "rescue": [
        ["Listen, {o}! Do you hear {the}?|{o}, hurry! {The} {is} in trouble!|There, {at}! Is that not {the}, {o}?", "I hear nothing but my own teeth.|Poor thing! How did {it} get there?|Stay calm. We need a rope and a plan."],
        ["I will climb up.|Hold my feet, I am going down!", "You? You are afraid of chairs!|I have got you. Do not wriggle."],
        ["Come here, little one. We will not hurt you.|{it} {is} shaking all over.", "Give {it} my scarf.|Sing something, that always helps."],
        ["Almost... almost...|Now pull!", "My arms are getting longer and longer!|I am pulling! Are you pulling?"],
        ["We did it! {The} {is} safe!|Look how {the} looks at you, {o}.", "I think we have a new friend.|Let us go home, all three of us."],
    ],
    "keep": [
        ["Can we keep {the}, {o}? Please!|{o}, look who followed me: {the}!|Do not be angry, {o}, but there is somebody behind me. It is {the}.", "{The}? {At_cap}? Out of the question.|Oh no. Not another one.|Where does {it} come from?"],
        ["{it} {is} so hungry. Look at those eyes.|{it} has nobody but us.", "I am looking at the muddy footprints.|And who will feed {it}? You?"],
        ["I will do everything: feeding, brushing, everything!|{it} can sleep in my bed.", "You said that about the goldfish.|And where will you sleep?"],
        ["See? {it} likes you.|{it} is licking your hand, {o}!", "Stop that. It tickles!|Well. Perhaps {it} is not so bad."],
        ["So, may {the} stay?|Please, please, please?", "One night. Oh, all right: for ever.|{The} may stay. But the muddy feet go first!"],
    ],
    "search": [
        ["{The} ran away, {o}!|Have you seen {the}, {o}? About this big.|I opened the door for one second, {o}, and {the} {was} gone.", "I saw something small run {at}.|Which way did {it} go?|Gone? Then let us call."],
        ["I call and call, and nothing happens.|Maybe {it} does not like me any more.", "Try to whisper instead.|Nonsense. {it} is only playing."],
        ["Put some [cheese|honey|bread] on the ground.|Let us hide and wait.", "I ate the last of it. Sorry.|Move over, your elbow is in my ear."],
        ["Look at these tracks! They go in a circle.|Something warm is sitting on my foot.", "Then we are following ourselves.|Do not move. Look down very slowly."],
        ["There you are, you rascal!|{The}! Come into my arms!", "And next time, {o}, close the door.|All is well. Who is hungry?"],
    ],
}
EVENT_PLOTS = {
    "before": [
        ["{o}, are you ready for {the}?|Only one hour left until {the}, {o}!|I cannot sleep because of {the}, {o}.", "Ready? I have not even found my shoes!|Me neither. My knees are like jelly.|What is there to be afraid of?"],
        ["What if everything goes wrong?|I have made a list. It has {small} pages.", "Then we will laugh about it later.|You and your lists!"],
        ["Did you bring [the lanterns|the cake|the ropes]?|Who else is coming to {place}?", "I thought you would bring that.|Everyone. Even the mayor."],
        ["Take a deep breath with me.|Let us practise once more.", "In... and out... and in... I am dizzy.|From the beginning? All right."],
        ["It begins! Do you hear it?|No way back now.", "Together we can do it, {o}.|Whatever happens, I am glad that you are here."],
    ],
    "during": [
        ["Hold on tight, {o}! I never thought {the} would be like this.|What a mess, {o}! And all because of {the}.|{o}, where are you? I can see nothing {at}!", "I am here! Give me your hand.|I told you that {the} would change everything.|Do not panic. I am panicking enough for both of us."],
        ["My hat is gone!|Why did nobody warn us?", "Forget the hat!|I warned you. Twice. In writing."],
        ["Tell me something nice.|Count with me.", "Warm bread. A soft bed. Your silly laugh.|One, two, three... what comes after three?"],
        ["It is getting quieter.|I think somebody is knocking.", "You are right. Is it over?|Do not open! Oh, it is only the neighbour."],
        ["Is it over?|We made it!", "It is. And I would do it again with you, {o}.|I will tell my grandchildren about {the}."],
    ],
    "truth": [
        ["I must tell you something, {o}. It is about {the}.|You look pale, {o}. Is it because of {the}?|Everybody {at} talks about {the}, {o}. Why?", "Then sit down and tell me.|It is nothing. All right, it is something.|Come closer, it is not for every ear."],
        ["It was my idea. All of it.|I did not dare to say it before.", "You? But you always look so innocent!|I have known it for a long time."],
        ["Are you angry?|Can you keep quiet about it?", "A little. But it will pass.|Like a fish."],
        ["What would you do in my place?|How can I put it right?", "I would say sorry, loudly.|Begin with a small step."],
        ["Thank you for listening.|Now my heart is lighter.", "That is what friends are for, {o}.|And now let us eat something sweet."],
    ],
}
THEME_PLOTS = {
    "lesson": [
        ["{o}, what do you know about {the}?|Teacher says we must learn something about {the}, {o}.|Can one buy {the} {at}, {o}?", "About {the}? More than I can say.|{The}! Nobody can explain that in one sentence.|No. But you can find it here, if you look."],
        ["Yesterday I was so alone.|I always do everything wrong.", "You could have called me.|Then we are two of a kind."],
        ["Would you share your last bread with me?|Would you wait for me, even in the rain?", "I already did, last week.|I would bring an umbrella for two."],
        ["And if I make a mistake?|And if you are far away?", "Then you say sorry and I say never mind.|Then I write you a letter every day."],
        ["I think I understand now.|So that is {the}!", "Yes, {o}. That is {the}.|You knew it all the time, {o}."],
    ],
}
ENTER = ["{a} enters[, out of breath| with a lantern| slowly|].", "{a} and {b} meet {at}.", "{a} stands alone {at}. {b} enters.", "{Time}. {a} looks around, {b} follows.", "The curtain rises. {a} waits {at}.", "{b} sits {at}. {a} comes running.", "[Rain|Wind|Silence|Music from far away|A clock strikes]. {a} and {b} come in.", "{Time} {at}. {a} knocks, {b} opens.", "Light on {a} and {b}.", "{a} tiptoes in. {b} is [asleep|reading|humming]."]
TIMES = ["Morning", "Evening", "Night", "Noon", "Early morning", "Midnight", "Late afternoon"]
BETWEEN = ["{a} [looks around|laughs|sighs|shakes the head|jumps up|steps back|whispers something].", "{a} and {b} [listen|look at each other|freeze].", "A [bell|drum|door|voice|whistle] is heard[ from far away|].", "{a} walks [up and down|once around {b}].", "Pause.", "It gets [darker|brighter|very quiet].", "{a} waves at {b}.", "{b} [hides behind {a}|sits down on the floor|holds the breath|scratches the head]."]
LEAVE = ["They leave together. Curtain.", "The light goes out.", "{a} waves goodbye. Curtain.", "They laugh. The curtain falls.", "{a} and {b} dance off. Curtain.", "They look up at the stars. Curtain.", "Music. Curtain.", "{a} and {b} [bow|hug|shake hands|walk off arm in arm]. Curtain.", "The lights fade {at}."]
ROLES = ["{a trait} {kind}", "{a kind}", "the {trait} {kind}", "{a kind} with {feature}", "{a kind} who {habit}"]
FEATURES = words("a big hat, muddy boots, a loud voice, a red nose, too many questions, a secret, cold feet, a kind heart, long arms, a squeaky laugh, an empty basket, a limp, odd socks")
HABITS = words("never sleeps, talks too much, collects buttons, cannot whistle, is always late, loves soup, sings to the birds, is afraid of mice, has lost the way, knows every star, dreams of the sea, forgets everything")
