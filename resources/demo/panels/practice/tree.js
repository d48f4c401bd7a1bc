// @ts-check
/* Reads all cards of the open study set and shows them as a list that is searched in the page. */
import { readTreePage } from './bridge.js'
import { findListingPath } from './listing.js'
import { createElement, getElement, showFailure } from './messages.js'

/** The search finds the cards beyond this number. */
const MAX_ROWS = 400

/** @type {any[]} */
let nodes = []
let readCount = 0
/** @type {(noteid: string) => void} */
let onChoose = () => {}

/** @param onChooseCard called with the id of the card that the user chooses. */
export function initializeList(onChooseCard) {
  onChoose = onChooseCard
  getElement('filter').addEventListener('input', drawRows)
}

/** Follows `nextCursor` until it is null. Stops if another study set is read meanwhile. */
export async function readTree(topicid) {
  const ownCount = (readCount += 1)
  nodes = []
  const listing = await findListingPath()
  let cursor = null
  do {
    const page = await readTreePage(listing, topicid, cursor)
    if (ownCount !== readCount) return
    if (showFailure('The cards could not be read', page)) break
    nodes.push(...page.nodes)
    cursor = page.nextCursor ?? null
    drawRows()
    const total = page.nodeTotal === undefined ? '' : ` of ${page.nodeTotal.toLocaleString()}`
    getElement('count').textContent = `${nodes.length.toLocaleString()}${cursor === null ? '' : total} cards`
    if (page.walkLimitReached) getElement('count').textContent += ', and more that the host does not walk to'
  } while (cursor !== null)
}

export function markRow(noteid) {
  for (const button of getElement('list').querySelectorAll('button')) {
    button.toggleAttribute('aria-current', button.dataset.noteid === noteid)
  }
}

function drawRows() {
  const query = getElement('filter').value.trim().toLowerCase()
  const rows = query === '' ? nodes : nodes.filter(({ title }) => (title ?? '').toLowerCase().includes(query))
  getElement('list').replaceChildren(...rows.slice(0, MAX_ROWS).map(createRow))
}

function createRow({ noteid, title, depth = 0 }) {
  const button = createElement('button', title || 'Untitled', { type: 'button', onclick: () => onChoose(noteid) })
  button.dataset.noteid = noteid
  button.style.paddingInlineStart = `${8 + Math.min(depth, 8) * 12}px`
  const item = createElement('li', '')
  item.append(button)
  return item
}
