"""Words of the viewer of recorded deals, by key; look them up in `marias_env.showing.phrases`."""

from __future__ import annotations

from typing import Final

VIEW_PHRASES: Final = {
    "en": {
        "view_title": "A recorded deal",
        "view_first": "To the beginning",
        "view_back": "One step back",
        "view_on": "One step on",
        "view_last": "To the end",
        "view_step": "Position {0} of {1}",
        "view_eyes": "Cards",
        "view_all": "all hands",
        "view_seat": "what {0} knows",
        "view_values": "Values",
        "view_deal": "Deal",
        "view_deal_of": "Deal {0} of {1}",
        "view_next_deal": "Next deal",
        "view_previous_deal": "Previous deal",
        "view_unfinished": "The record ends here; {0} is on turn.",
        "view_values_help": "Units per opponent for the side on turn if all cards are seen; before "
        "play the others say nothing more.",
        "view_thinking": "{0} is thinking …",
        "view_lost": "{0} units less than the best",
        "view_keys": "Arrow keys left and right step through the deal, Page Up and Page Down by "
        "tricks, Home and End go to its beginning and end; up and down change the deal.",
        "view_save": "Save this record",
    },
    "cs": {
        "view_title": "Zaznamenaná hra",
        "view_first": "Na začátek",
        "view_back": "O krok zpět",
        "view_on": "O krok dál",
        "view_last": "Na konec",
        "view_step": "Pozice {0} z {1}",
        "view_eyes": "Karty",
        "view_all": "všechny listy",
        "view_seat": "co ví {0}",
        "view_values": "Hodnoty",
        "view_deal": "Hra",
        "view_deal_of": "Hra {0} z {1}",
        "view_next_deal": "Další hra",
        "view_previous_deal": "Předchozí hra",
        "view_unfinished": "Tady záznam končí; na tahu je {0}.",
        "view_values_help": "Jednotky na soupeře pro stranu na tahu, vidí-li všichni všechny "
        "karty; před sehrávkou už ostatní nic neřeknou.",
        "view_thinking": "{0} přemýšlí …",
        "view_lost": "o {0} méně než nejlepší",
        "view_keys": "Šipky vlevo a vpravo krokují hru, Page Up a Page Down po štychách, Home a "
        "End jdou na začátek a na konec; nahoru a dolů mění hru.",
        "view_save": "Uložit tento záznam",
    },
}
