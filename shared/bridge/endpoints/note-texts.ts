import {
  appendCommentBodySchema,
  editCommentBodySchema,
  deleteCommentBodySchema,
  cardTextBodySchema,
} from '../resources/body-schemas.ts'
import { writeResultSchema } from '../resources/common.ts'
import { definePathParameter, noteidParameter, defineWrite } from './row-builders.ts'
import { writeOutcomes } from './outcomes.ts'

// Index 0 is the card's own text, which separate endpoints change (observed-0.49 §5).
const commentIndexParameter = definePathParameter(
  'index',
  'Number of the comment: texts[].index of POST /notes/batch-get, from 1.',
  undefined,
  {
    min: 0,
  },
)

/** Described in observed-0.49 §5. */
export const noteTextEndpoints = [
  defineWrite('cards', cardTextBodySchema, writeResultSchema, {
    id: 'notes.title',
    dataKinds: ['cards', 'studySets'],
    path: '/notes/{noteid}/title',
    summary: 'Sets the title of a card.',
    parameters: [noteidParameter],
    outcome: writeOutcomes.text,
    effect: { rule: 'members', readBackPointers: { '/text': '/title' } },
    face: { name: 'present-text', text: 'title' },
    spec: 'observed §5',
  }),
  defineWrite('cards', cardTextBodySchema, writeResultSchema, {
    id: 'notes.text',
    dataKinds: ['cards', 'studySets'],
    path: '/notes/{noteid}/text',
    summary: 'Sets the text of a card, or of a blank.',
    parameters: [noteidParameter],
    outcome: writeOutcomes.text,
    effect: { rule: 'text', bodyPointer: '/text', readBackPointer: '/texts', index: 0 },
    face: { name: 'present-text', text: 'own' },
    spec: 'observed §5',
  }),
  defineWrite('cards', appendCommentBodySchema, writeResultSchema, {
    id: 'notes.comments',
    dataKinds: ['cards', 'studySets'],
    path: '/notes/{noteid}/comments',
    summary: 'Appends a comment to a card; a comment that is only a card link becomes a real link.',
    parameters: [noteidParameter],
    outcome: writeOutcomes.text,
    effect: { rule: 'text', bodyPointer: '/text', readBackPointer: '/texts', index: { responsePointer: '/index' } },
    spec: 'observed §5',
  }),
  defineWrite('cards', editCommentBodySchema, writeResultSchema, {
    id: 'notes.comment',
    dataKinds: ['cards', 'studySets'],
    path: '/notes/{noteid}/comments/{index}',
    summary: 'Changes a comment of a card.',
    parameters: [noteidParameter, commentIndexParameter],
    outcome: writeOutcomes.text,
    effect: { rule: 'text', bodyPointer: '/text', readBackPointer: '/texts', index: { pathParameter: 'index' } },
    face: { name: 'present-text', text: 'comment' },
    spec: 'observed §5',
  }),
  defineWrite('cards', deleteCommentBodySchema, writeResultSchema, {
    id: 'notes.deleteComment',
    dataKinds: ['cards', 'studySets'],
    isIrreversible: true,
    path: '/notes/{noteid}/comments/{index}/delete',
    summary: 'Deletes a comment of a card.',
    parameters: [noteidParameter, commentIndexParameter],
    outcome: writeOutcomes.text,
    effect: { rule: 'textGone', readBackPointer: '/texts', pathParameter: 'index' },
    face: { name: 'present-text', text: 'comment' },
    spec: 'observed §5',
  }),
]
