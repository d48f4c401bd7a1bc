import { appendCommentBody, commentBody, deleteCommentBody, textBody } from '../resources/bodies.ts'
import { writeResultSchema } from '../resources/common.ts'
import { inPath, noteid, write } from './define.ts'
import { outcomes } from './outcomes.ts'

// The card's own body has the index 0; its texts are changed by separate routes (observed §5).
const index = inPath('index', 'Number of the comment: texts[].index of POST /notes/batch-get, from 1.', undefined, {
  min: 0,
})

/** What is written to the texts of cards (observed-0.49 §5). */
export const noteTextEndpoints = [
  write('cards', textBody, writeResultSchema, {
    id: 'notes.title',
    concerns: ['cards', 'studySets'],
    path: '/notes/{noteid}/title',
    summary: 'Sets the title of a card.',
    parameters: [noteid],
    outcome: outcomes.text,
    effect: { rule: 'members', there: { '/text': '/title' } },
    face: { name: 'present-text', text: 'title' },
    spec: 'observed §5',
  }),
  write('cards', textBody, writeResultSchema, {
    id: 'notes.text',
    concerns: ['cards', 'studySets'],
    path: '/notes/{noteid}/text',
    summary: 'Sets the text of a card, or of a blank.',
    parameters: [noteid],
    outcome: outcomes.text,
    effect: { rule: 'text', sent: '/text', there: '/texts', index: 0 },
    face: { name: 'present-text', text: 'own' },
    spec: 'observed §5',
  }),
  write('cards', appendCommentBody, writeResultSchema, {
    id: 'notes.comments',
    concerns: ['cards', 'studySets'],
    path: '/notes/{noteid}/comments',
    summary: 'Appends a comment to a card; a comment that is only a card link becomes a real link.',
    parameters: [noteid],
    outcome: outcomes.text,
    effect: { rule: 'text', sent: '/text', there: '/texts', index: { answered: '/index' } },
    spec: 'observed §5',
  }),
  write('cards', commentBody, writeResultSchema, {
    id: 'notes.comment',
    concerns: ['cards', 'studySets'],
    path: '/notes/{noteid}/comments/{index}',
    summary: 'Changes a comment of a card.',
    parameters: [noteid, index],
    outcome: outcomes.text,
    face: { name: 'present-text', text: 'comment' },
    spec: 'observed §5',
  }),
  write('cards', deleteCommentBody, writeResultSchema, {
    id: 'notes.deleteComment',
    concerns: ['cards', 'studySets'],
    final: true,
    path: '/notes/{noteid}/comments/{index}/delete',
    summary: 'Deletes a comment of a card.',
    parameters: [noteid, index],
    outcome: outcomes.text,
    face: { name: 'present-text', text: 'comment' },
    spec: 'observed §5',
  }),
]
