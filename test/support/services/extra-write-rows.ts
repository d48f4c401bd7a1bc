import { z } from 'zod'
import { definePathParameter, noteidParameter, defineWrite } from '../../../shared/bridge/endpoints/row-builders.ts'
import { readBacks } from '../../../shared/bridge/endpoints/read-back.ts'
import { writeResultSchema } from '../../../shared/bridge/resources/common.ts'

/**
 * Writes that no host has, each as nothing but a row: for `vi.mock` of `decks.ts`, so that
 * everything that reads the table finds them there.
 */
export const extraWriteRows = [
  defineWrite('study-sets', z.looseObject({ title: z.string(), order: z.number().optional() }), writeResultSchema, {
    id: 'decks.rename',
    path: '/decks/{deckId}/rename',
    summary: 'Renames a deck.',
    parameters: [definePathParameter('deckId', 'Id of the deck.')],
    isIrreversible: true,
    touches: [readBacks.deck],
    effect: { rule: 'members', readBackPointers: { '/title': '/title' } },
    spec: 'none',
  }),
  defineWrite(
    'cards',
    z.looseObject({ heading: z.string(), expectedPrefix: z.string().optional() }),
    writeResultSchema,
    {
      id: 'notes.retitle',
      path: '/notes/{noteid}/retitle',
      summary: 'Gives a card another title.',
      parameters: [noteidParameter],
      effect: { rule: 'members', readBackPointers: { '/heading': '/title' } },
      face: { name: 'present-text', text: 'title' },
      spec: 'none',
    },
  ),
]
