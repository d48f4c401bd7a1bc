/* The cards of the open study set: read to the end, then shown as a list that is searched in the page. */
import { treePage } from './bridge.js'
import { listingPath } from './listing.js'
import { at, failed, made } from './say.js'

/** More rows than this are not drawn; the search finds the others. */
const MOST_ROWS = 400

let nodes = []
let turn = 0
let onChoose = () => {}

export function watchList(choose) {
  onChoose = choose
  at('filter').addEventListener('input', draw)
}

/** Follows `nextCursor` until it is null. Stops if another study set is read meanwhile. */
export async function readTree(topicid) {
  const mine = (turn += 1)
  nodes = []
  const listing = await listingPath()
  let cursor = null
  do {
    const page = await treePage(listing, topicid, cursor)
    if (mine !== turn) return
    if (failed('The cards could not be read', page)) break
    nodes.push(...page.nodes)
    cursor = page.nextCursor ?? null
    draw()
    const total = page.nodeTotal === undefined ? '' : ` of ${page.nodeTotal.toLocaleString()}`
    at('count').textContent = `${nodes.length.toLocaleString()}${cursor === null ? '' : total} cards`
    if (page.walkLimitReached) at('count').textContent += ', and more that the host does not walk to'
  } while (cursor !== null)
}

export function mark(noteid) {
  for (const button of at('list').querySelectorAll('button')) {
    button.toggleAttribute('aria-current', button.dataset.noteid === noteid)
  }
}

function draw() {
  const wanted = at('filter').value.trim().toLowerCase()
  const rows = wanted === '' ? nodes : nodes.filter(({ title }) => (title ?? '').toLowerCase().includes(wanted))
  at('list').replaceChildren(...rows.slice(0, MOST_ROWS).map(row))
}

function row({ noteid, title, depth = 0 }) {
  const button = made('button', title || 'Untitled', { type: 'button', onclick: () => onChoose(noteid) })
  button.dataset.noteid = noteid
  button.style.paddingInlineStart = `${8 + Math.min(depth, 8) * 12}px`
  const item = made('li', '')
  item.append(button)
  return item
}
