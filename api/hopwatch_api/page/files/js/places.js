/** Going to a part of the page: what is chosen, like a filter, stays in the address. */

import { setAttribute } from "./dom.js";

/** Has links to parts of the page go there without another address. */
export function listenToPlaces() {
  for (const link of links()) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab, which the address leads to
      event.preventDefault();
      goTo(link.dataset.place);
    });
  }
}

/** Has them lead to the page as it is shown, for whoever opens or copies them. */
export function addressPlaces(address) {
  for (const link of links()) setAttribute(link, "href", address.hrefWith({ at: link.dataset.place }));
}

/** Goes to the part of this id, if there is one. */
export function goTo(id, block = /** @type {ScrollLogicalPosition} */ ("start")) {
  const place = document.getElementById(id);
  if (!place) return;
  if (place.tabIndex < 0) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block });
}

/** @returns {NodeListOf<HTMLAnchorElement>} */
function links() {
  return document.querySelectorAll("a[data-place]");
}
