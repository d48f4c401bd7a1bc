// @ts-check
/* Shows one card, which is read by itself before anything is written on it. */
import { readCards, readImage } from './bridge.js'
import { createElement, getElement, showFailure } from './messages.js'

/**
 * The card as it was read last; null while none is open.
 *
 * @type {{ noteid: string, revision: string | number, commentId: string } | null}
 */
export let openedCard = null
/** @type {string[]} */
let imageUrls = []

/** Reads a card and shows it. Its revision is the one that a verdict must name. */
export async function openCard(noteid) {
  const result = await readCards([noteid])
  if (showFailure('The card could not be read', result)) return
  // The contract does not show all members of a card.
  const card = /** @type {any} */ (result.items.find((item) => item.noteid === noteid))
  if (!card) return void showFailure('The card could not be read', { error: { code: 'GONE', message: 'It is not there any more.' } })
  // A verdict belongs to a comment of the card: its first text, if it has one.
  const commentId = card.parts?.find(({ kind }) => kind === 'text')?.noteid
  openedCard = { noteid, revision: /** @type {string | number} */ (card.commentsRevision), commentId }
  getElement('nothing').hidden = true
  getElement('sheet').hidden = false
  getElement('title').textContent = card.title || 'Untitled'
  getElement('tags').textContent = (card.hashtags ?? []).join(' ')
  getElement('texts').replaceChildren(...(card.texts ?? []).filter(({ text }) => text).map(createText))
  await showImages(card)
}

const createText = ({ text, excerpt }) => createElement(excerpt ? 'blockquote' : 'p', text)

async function showImages({ noteid, parts = [] }) {
  for (const url of imageUrls.splice(0)) URL.revokeObjectURL(url)
  getElement('images').replaceChildren()
  for (const part of parts) {
    if (!part.contentId || !(part.mimeType ?? '').startsWith('image/')) continue
    const image = await readImage(noteid, part.contentId)
    // Another card may have been opened meanwhile.
    if (openedCard?.noteid !== noteid) return
    if (showFailure('An image could not be read', image)) continue
    imageUrls.push(image.url)
    getElement('images').append(createElement('img', '', { src: image.url, alt: part.ocrText ?? 'Image of the card' }))
  }
}
