/* The answer sheet: one card, read by itself before anything is written on it. */
import { image, readCards } from './bridge.js'
import { at, failed, made } from './say.js'

/** The card as it was read last: `{ noteid, revision, commentId }`; null while none is open. */
export let sheet = null
let urls = []

/** Reads a card and shows it. Its revision is the one that a verdict must name. */
export async function openSheet(noteid) {
  const answer = await readCards([noteid])
  if (failed('The card could not be read', answer)) return
  const card = answer.items.find((one) => one.noteid === noteid)
  if (!card) return void failed('The card could not be read', { error: { code: 'GONE', message: 'It is not there any more.' } })
  // A verdict belongs to a comment of the card: its first text, where it has one.
  const commentId = card.parts?.find(({ kind }) => kind === 'text')?.noteid
  sheet = { noteid, revision: card.commentsRevision, commentId }
  at('nothing').hidden = true
  at('sheet').hidden = false
  at('title').textContent = card.title || 'Untitled'
  at('tags').textContent = (card.hashtags ?? []).join(' ')
  at('texts').replaceChildren(...(card.texts ?? []).filter(({ text }) => text).map(textOf))
  await showImages(card)
}

const textOf = ({ text, excerpt }) => made(excerpt ? 'blockquote' : 'p', text)

async function showImages({ noteid, parts = [] }) {
  for (const url of urls.splice(0)) URL.revokeObjectURL(url)
  at('images').replaceChildren()
  for (const part of parts) {
    if (!part.contentId || !(part.mimeType ?? '').startsWith('image/')) continue
    const got = await image(noteid, part.contentId)
    // Another card may have been opened meanwhile.
    if (sheet?.noteid !== noteid) return
    if (failed('An image could not be read', got)) continue
    urls.push(got.url)
    at('images').append(made('img', '', { src: got.url, alt: part.ocrText ?? 'Image of the card' }))
  }
}
