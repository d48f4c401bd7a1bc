import { lookUp } from '../json/object.ts'

/** In the order in which the page offers them. */
export const idKinds = [
  'card',
  'excerpt',
  'studySet',
  'document',
  'deck',
  'content',
  'request',
  'run',
  'attempt',
  'bundle',
  'snapshot',
  'record',
] as const
export type IdKind = (typeof idKinds)[number]

/**
 * Members whose value is an id. Names are compared without case and separators; they include the
 * contract's names and other spellings that hosts use. `questionId` is none of them: spec §4 does
 * not say that it is a card's id.
 */
const kindsByMemberName: Readonly<Record<string, IdKind>> = {
  noteid: 'card',
  cardnoteid: 'card',
  sourcenoteid: 'card',
  parentnoteid: 'card',
  focusnoteid: 'card',
  focusednoteid: 'card',
  selectednoteid: 'card',
  childnoteid: 'card',
  topicid: 'studySet',
  studysetid: 'studySet',
  bookmd5: 'document',
  docmd5: 'document',
  md5: 'document',
  documentid: 'document',
  deckid: 'deck',
  contentid: 'content',
  requestid: 'request',
  runid: 'run',
  attemptid: 'attempt',
  bundleid: 'bundle',
  snapshotid: 'snapshot',
}

/** Lists and objects whose entries may call their id just `id`. */
const kindsByContainer: Readonly<Record<string, IdKind>> = {
  notes: 'card',
  cards: 'card',
  studysets: 'studySet',
  topics: 'studySet',
  studyset: 'studySet',
  documents: 'document',
  books: 'document',
  decks: 'deck',
  deck: 'deck',
  bundles: 'bundle',
  snapshots: 'snapshot',
}

/** The first of these members that an object has is its own id; its other ids are references. */
const idMembersByPriority = [
  'noteid',
  'cardnoteid',
  'contentid',
  'snapshotid',
  'bundleid',
  'deckid',
  'requestid',
  'attemptid',
  'runid',
  'bookmd5',
  'md5',
  'topicid',
  'studysetid',
  'id',
]

const toPlainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** @returns null if the kind is unknown. That of a member `id` depends on its container. */
export function getIdKind(name: string, container: string): IdKind | null {
  const plainName = toPlainName(name)
  if (plainName === 'id') return lookUp(kindsByContainer, toPlainName(container)) ?? null
  return lookUp(kindsByMemberName, plainName) ?? lookUp(kindsByMemberName, plainName.replace(/s$/, '')) ?? null
}

/** @returns the name of the member that holds an object's own id; null if it has none */
export function findOwnIdMember(object: Readonly<Record<string, unknown>>): string | null {
  const members = Object.keys(object).filter((name) => typeof object[name] === 'string' && object[name] !== '')
  for (const plainName of idMembersByPriority) {
    const member = members.find((name) => toPlainName(name) === plainName)
    if (member !== undefined) return member
  }
  return null
}
