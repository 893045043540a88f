// What a key will have done, shown before the server has said so: under load that takes the better part of a second.
const STEPS = { next: 1, previous: -1 }
const accepted = (status) => (status === "edited" ? status : "accepted")
const BECOMES = (command) => (command === "accept" ? accepted : /^reject(-|$)/.test(command) ? () => "rejected" : null)

export class Ahead {
  constructor() {
    this.decided = new Map() // by row the status that it will have, and the key that gave it; of a group, what becomes of each of its own
    this.cursor = "" // the row that will be looked at, '' where the server's counts
    this.looked = "" // the row that was clicked, until the server looks at it, too
    this.last = 0 // the last key that was sent
  }

  // The row that a person sees as the one looked at.
  at(model) { return this.looked || this.cursor || model.cursor }

  // Where the server looks by now: at what was clicked, unless it has still to go where keys went before the click.
  arrived({ cursor }, rows) {
    if ((cursor === this.looked && !this.cursor) || !rows.some(({ id }) => id === this.looked)) { this.looked = "" }
  }

  status(row) { return this.decided.get(row.id)?.status ?? row.status }

  // A row as it will be.
  shown(row) {
    const given = this.decided.get(row.id)
    if (!given) { return row }
    if (!row.group) { return { ...row, status: given.status } }
    const counts = new Map()
    for (const [name, number] of row.statuses) { counts.set(given.becomes(name), (counts.get(given.becomes(name)) ?? 0) + number) }
    return { ...row, statuses: [...counts] }
  }

  decide(row, becomes, seq) { this.decided.set(row.id, { becomes, status: row.group ? "" : becomes(this.status(row)), seq }) }

  // All of the pile that waits.
  decidePile({ seq }, { pile }, rows) {
    const becomes = (status) => (status === "pending" ? pile : status)
    if (pile) { rows.forEach((row) => this.decide(row, becomes, seq)) }
  }

  // A key is about to be sent. It says of which row it is: what a person sees is what is decided, wherever the server is.
  hear(asked, model, rows) {
    this.last = asked.seq
    const { checked } = model
    if (asked.command === "decide-pile") { this.decidePile(asked, model, rows) }
    const at = rows.findIndex(({ id }) => id === this.at(model))
    const row = rows[at]
    if (!row) { return }
    if (STEPS[asked.command]) { this.go((rows[at + STEPS[asked.command]] ?? row).id) }
    const becomes = BECOMES(asked.command)
    if (!becomes || checked.length) { return }
    asked.of = row.id
    this.decide(row, becomes, asked.seq)
    for (const one of rows.filter(({ id }) => row.ids?.includes(id))) { this.decide(one, becomes, asked.seq) }
    this.go(this.following(model, rows, at) ?? row.id)
  }

  go(id) { Object.assign(this, { cursor: id, looked: "" }) }

  // Where the server goes on: the next row that waits, else one on another page, which is not known here, else the first.
  following({ page, pages }, rows, at) {
    const waits = (row) => (row.group ? !row.opened && this.shown(row).statuses.some(([name]) => name === "pending") : this.status(row) === "pending")
    const below = rows.slice(at + 1).find(waits)
    return (below ?? (page < pages - 1 ? undefined : rows.slice(0, at).find(waits)))?.id
  }

  // The server has done all up to a key. Whether something was not done as it was shown.
  settle(seq, rows) {
    let refused = false
    for (const [id, { seq: given, status }] of this.decided) {
      if (given > seq) { continue }
      this.decided.delete(id)
      refused ||= rows.some((row) => row.id === id && (row.group ? row.statuses.some(([name]) => name === "pending") : row.status !== status))
    }
    if (seq >= this.last) { this.cursor = "" }
    return refused
  }
}
