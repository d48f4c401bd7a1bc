import type { ReadBack } from '../read-back.ts'

/** The read-backs there are. */
export const readBacks = {
  cards: { kind: 'entry', from: 'notes.batchGet', id: 'noteid', ask: 'noteIds' },
  studySet: { kind: 'entry', from: 'studySets.list', id: 'topicid' },
  deck: { kind: 'entry', from: 'decks.list', id: 'deckId' },
  session: { kind: 'session', from: 'writing.context' },
  pausedSession: { kind: 'session', from: 'writing.context', pauses: true },
} as const satisfies Readonly<Record<string, ReadBack>>
