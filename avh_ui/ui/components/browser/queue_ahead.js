// What a key will have done, shown before the server has said so: under load that takes the better part of a second.
const STEPS = { next: 1, previous: -1 }
const BECOMES = { accept: (status) => (status === "edited" ? status : "accepted"), reject: () => "rejected" }

export class Ahead {
  constructor() {
    this.decided = new Map() // by row the status that it will have, and the key that gave it
    this.cursor = "" // the row that will be looked at, '' where the server's counts
    this.last = 0 // the last key that was sent
  }

  status(row) { return this.decided.get(row.id)?.status ?? row.status }

  // A key is about to be sent. It says of which row it is: what a person sees is what is decided, wherever the server is.
  hear(asked, model) {
    this.last = asked.seq
    const { checked, rows } = model
    const at = rows.findIndex(({ id }) => id === (this.cursor || model.cursor))
    const row = rows[at]
    if (!row) { return }
    if (STEPS[asked.command]) { this.cursor = (rows[at + STEPS[asked.command]] ?? row).id }
    const becomes = BECOMES[asked.command]
    if (!becomes || checked.length || row.group) { return }
    asked.of = row.id
    this.decided.set(row.id, { status: becomes(this.status(row)), seq: asked.seq })
    this.cursor = this.following(model, at) ?? row.id
  }

  // Where the server goes on: the next row that waits, else one on another page, which is not known here, else the first.
  following({ page, pages, rows }, at) {
    const waits = (row) => (row.group ? !row.opened && row.statuses.some(([name]) => name === "pending") : this.status(row) === "pending")
    const below = rows.slice(at + 1).find(waits)
    return (below ?? (page < pages - 1 ? undefined : rows.slice(0, at).find(waits)))?.id
  }

  // The server has done all up to a key. Whether something was not done as it was shown.
  settle(seq, rows) {
    let refused = false
    for (const [id, { seq: given, status }] of this.decided) {
      if (given > seq) { continue }
      this.decided.delete(id)
      refused ||= rows.some((row) => row.id === id && row.status !== status)
    }
    if (seq >= this.last) { this.cursor = "" }
    return refused
  }
}
