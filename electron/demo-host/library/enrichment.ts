import type { DemoBand, DemoCard, DemoStudySet } from './model.ts'
import { PRACTICE_ADDON_ID, practiceConfig } from './model.ts'
import { hashText } from '../../../shared/format/text-hash.ts'
import { toUuid } from './random.ts'

const DAY_MS = 86_400_000

/** Every combination of a band's properties. */
const combinations = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
  live: (bits & 1) !== 0,
  closed: (bits & 2) !== 0,
  hasInk: (bits & 4) !== 0,
}))

/**
 * Adds what cards have after long use: gaps from deleted comments (sparse indexes), longer practice
 * histories, images on bands, attachments, and parts of merged cards. The ids of the cards decide
 * which cards change, so the rest of the library does not depend on this function.
 */
export function enrichStudySet(set: DemoStudySet): void {
  set.cards.forEach((card, index) => {
    const dice = hashText(card.noteid)
    if (dice % 7 === 0) addComments(card)
    if (card.practice.length > 0 && dice % 3 === 0) addVerdicts(card)
    if (card.bands.length > 0 && dice % 2 === 0) addBlankImage(card)
    if (dice % 23 === 0) addAttachment(card)
    const previous = set.cards[index - 1]
    if (dice % 19 === 0 && previous) addMerged(card, previous)
  })
  const banded = set.cards.find(({ bands }) => bands.length > 2)
  if (banded) banded.bands = combinations.map((flags, seq) => createBand(banded, seq, flags))
}

function addComments(card: DemoCard): void {
  const last = Math.max(...card.texts.map(({ index }) => index))
  for (const index of [last + 2, last + 6]) {
    const text = `Comment ${index}: those in between were deleted.`
    card.texts.push({ index, text, excerpt: false, noteid: card.noteid, kind: 'text' })
  }
}

function addVerdicts(card: DemoCard): void {
  const [latest] = card.practice
  if (!latest) return
  for (const [n, self] of ['hard', 'again', 'again'].entries()) {
    const reason = practiceConfig.reasons[(hashText(card.noteid) + n) % practiceConfig.reasons.length]
    if (!reason) continue
    const timestamp = latest.at - (n + 1) * 6 * DAY_MS
    card.practice.push({
      ...latest,
      addon: PRACTICE_ADDON_ID,
      self,
      reason: reason.id,
      reasonLabel: reason.label,
      at: timestamp,
    })
  }
}

function addBlankImage(card: DemoCard): void {
  const band = card.bands.find(({ hasInk }) => hasInk)
  if (!band) return
  const contentId = `blank_image-${card.noteid.slice(0, 8).toLowerCase()}-${band.seq}`
  card.parts.push({ contentId, kind: 'blank_image', mimeType: 'image/png', seed: hashText(contentId) })
}

function addAttachment(card: DemoCard): void {
  const contentId = `attachment-${card.noteid.slice(0, 8).toLowerCase()}`
  card.parts.push({ contentId, kind: 'attachment', mimeType: 'text/plain', seed: hashText(contentId) })
}

/** Adds ink and text as if the card `from` had been merged into `card`. */
function addMerged(card: DemoCard, from: DemoCard): void {
  const contentId = `ink-${from.noteid.slice(0, 8).toLowerCase()}-merged`
  card.parts.push({ contentId, kind: 'ink', mimeType: 'image/png', seed: hashText(contentId), noteid: from.noteid })
  const index = Math.max(...card.texts.map((text) => text.index)) + 1
  card.texts.push({ index, text: from.title, excerpt: false, noteid: from.noteid, kind: 'text' })
}

function createBand(card: DemoCard, seq: number, flags: Pick<DemoBand, 'live' | 'closed' | 'hasInk'>): DemoBand {
  return {
    ...flags,
    noteid: card.noteid,
    owner: seq % 2 === 0 ? PRACTICE_ADDON_ID : 'user',
    blankPageNo: seq + 1,
    seq,
    inkParts: flags.hasInk ? 1 + (seq % 4) : 0,
    height: [120, 240, 360, 600][seq % 4] ?? 240,
    physicalNoteId: toUuid(`${card.noteid}/band/${seq}`),
    role: seq % 3 === 2 ? 'scratch' : 'practice',
    pageNo: 1 + Math.floor(seq / 2),
  }
}
