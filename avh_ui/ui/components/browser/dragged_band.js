// Tells where a person holds the edges of a band, before the server has heard of it. Its tags are where it was drawn, and what pixels round by.
const held = [cb_obj.bottom, cb_obj.top]
const near = cb_obj.tags[2]
const places = held.map((place, at) => Math.abs(place - cb_obj.tags[at]) > near ? place : null)
if (held.every(Number.isFinite) && places.some((place) => place !== null)) {
  window.dispatchEvent(new CustomEvent("avh-dragged", { detail: { box: cb_obj.id, held, places } }))
}
