import { readBacks } from '../../../../shared/bridge/endpoints/read-back.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import type { RecordedExchange } from '../../../../shared/recordings/recording.ts'
import type { RequestMeaning } from './request-meaning.ts'

/** Places of the cards of a request that were not recorded together. */
export interface DerivedCards {
  readonly sources: readonly { readonly noteid: string; readonly exchange: RecordedExchange }[]
}

const { from: cardEndpoint, id: idMember, idsMember } = readBacks.cards
const CARD_LIST = 'items'

/** @returns null for a request that asks for something else than cards by their ids */
export function listCardIds({ endpoint, body }: RequestMeaning): readonly string[] | null {
  if (endpoint?.id !== cardEndpoint || !isObject(body) || Object.keys(body).some((name) => name !== idsMember))
    return null
  const ids: unknown = body[idsMember]
  return Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === 'string') ? ids : null
}

export function createCardRequestText(noteid: string): string {
  return JSON.stringify({ [idsMember]: [noteid] })
}

/** Leaves out cards that a response lacks though asked for. Null if one has no list of cards. */
export function deriveCards({ sources }: DerivedCards, bodies: readonly unknown[]): Record<string, unknown> | null {
  const [first] = bodies
  if (!isObject(first)) return null
  const cards: unknown[] = []
  for (const [index, { noteid }] of sources.entries()) {
    const list = getMember(bodies[index], CARD_LIST)
    if (!Array.isArray(list)) return null
    const card: unknown = list.find((entry) => getMember(entry, idMember) === noteid)
    if (card !== undefined) cards.push(card)
  }
  return { ...first, [CARD_LIST]: cards }
}
