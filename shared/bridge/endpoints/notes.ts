import type { z } from 'zod'
import { limits } from '../limits.ts'
import { blankBandBodySchema, blankBandSchema } from '../resources/bands.ts'
import { writeResultSchema } from '../resources/common.ts'
import {
  batchGetBodySchema,
  batchGetSchema,
  looseWriteBodySchema,
  noteHashtagsBodySchema,
  noteIdsBodySchema,
  noteMetadataBodySchema,
  noteMoveBodySchema,
  noteTextBodySchema,
  noteTitleBodySchema,
} from '../resources/notes.ts'
import { practiceVerdictBodySchema, practiceVerdictSchema } from '../resources/practice.ts'
import {
  pencilAckSchema,
  pencilCommitBodySchema,
  pencilResultBodySchema,
  pencilResultSchema,
  sessionAckSchema,
  sessionCommandBodySchema,
  sessionPauseBodySchema,
  writingContextSchema,
} from '../resources/writing.ts'
import { bytes, inPath, inQuery, navigate, noteid, oneOf, read, write } from './define.ts'

const index = inPath('index', 'Index of the comment.', undefined, { min: 0 })

/** The writes of observed-0.49 that differ only in path and body. */
const simple = <const Id extends string>(
  id: Id,
  path: string,
  summary: string,
  body: z.ZodType = looseWriteBodySchema,
) =>
  write('cards', body, writeResultSchema, {
    id,
    path,
    summary,
    parameters: [...(path.includes('{noteid}') ? [noteid] : []), ...(path.includes('{index}') ? [index] : [])],
    spec: 'observed: writes',
  })

const session = <const Id extends string>(id: Id, path: string, summary: string, body: z.ZodType) =>
  write('handwriting', body, sessionAckSchema, { id, path, summary, spec: `spec §4 ${path.slice(9)}` })

export const noteEndpoints = [
  read('cards', batchGetSchema, {
    id: 'notes.batchGet',
    list: { member: 'items' },
    method: 'POST',
    path: '/notes/batch-get',
    summary: `At most ${limits.batchNoteIds} cards with texts and parts; a POST that only reads.`,
    body: batchGetBodySchema,
    spec: 'spec §4 batch-get',
  }),
  bytes('cards', ['image', 'audio', 'video'], {
    id: 'notes.content',
    path: '/notes/{noteid}/content/{contentId}',
    summary: 'Image, audio or video of a card.',
    parameters: [
      noteid,
      inPath('contentId', 'Identity of the binary item.', 'items[].parts[].contentId of POST /notes/batch-get'),
      inQuery('maxEdge', 'Longest edge of the returned image, pixels.', { type: 'integer', ...limits.maxEdge }),
      oneOf('layers', ['composite', 'base'], 'The composited image or only the layer below.'),
    ],
    spec: 'spec §4 note content',
  }),
  bytes('export', ['image', 'pdf'], {
    id: 'notes.render',
    path: '/notes/{noteid}/render',
    summary: 'The card as a long image or a PDF.',
    parameters: [
      noteid,
      oneOf('format', ['png', 'pdf'], 'What to make.'),
      inQuery('width', 'Width, pixels.', { type: 'integer', ...limits.renderWidth }),
    ],
    spec: 'spec §1',
  }),
  write('cards', blankBandBodySchema, blankBandSchema, {
    id: 'notes.blankBands',
    path: '/notes/{noteid}/blank-bands',
    summary: 'Appends one blank band below the card.',
    parameters: [noteid],
    spec: 'spec §4 blank-bands',
  }),
  write('plugin', practiceVerdictBodySchema, practiceVerdictSchema, {
    id: 'notes.practiceVerdict',
    path: '/notes/{noteid}/practice-verdict',
    summary: 'Records whether the answer was mastered and the cause of error.',
    parameters: [noteid],
    addon: true,
    spec: 'spec §4 practice-verdict',
  }),
  simple('notes.hashtags', '/notes/hashtags', 'Adds and removes hashtags of cards.', noteHashtagsBodySchema),
  simple('notes.metadata', '/notes/metadata', 'Sets color and fill of cards.', noteMetadataBodySchema),
  simple('notes.move', '/notes/move', 'Moves cards below another.', noteMoveBodySchema),
  simple('notes.copy', '/notes/copy', 'Copies cards below another.', noteMoveBodySchema),
  simple('notes.delete', '/notes/delete', 'Deletes cards.', noteIdsBodySchema),
  simple('notes.fold', '/notes/fold', 'Folds or unfolds cards on the mind map.', noteIdsBodySchema),
  simple('notes.title', '/notes/{noteid}/title', 'Sets the title of a card.', noteTitleBodySchema),
  simple('notes.text', '/notes/{noteid}/text', 'Sets a text of a card.', noteTextBodySchema),
  simple('notes.comments', '/notes/{noteid}/comments', 'Appends a comment to a card.'),
  simple('notes.comment', '/notes/{noteid}/comments/{index}', 'Changes a comment of a card.'),
  simple('notes.deleteComment', '/notes/{noteid}/comments/{index}/delete', 'Deletes a comment of a card.'),
  simple('notes.mergeBranch', '/notes/{noteid}/merge-branch', 'Merges a branch into its card.'),
  simple('notes.foldIntoSubMap', '/notes/{noteid}/fold-into-sub-map', 'Makes a branch a sub-map.'),
  simple('notes.imageOcclusions', '/notes/{noteid}/image-occlusions', 'Sets the occlusions of an image.'),
  navigate('interface', looseWriteBodySchema, writeResultSchema, {
    id: 'notes.focus',
    path: '/notes/{noteid}/focus',
    summary: 'Shows a card on the screen of the user.',
    parameters: [noteid],
    spec: 'observed: writes',
  }),
  read('handwriting', writingContextSchema, {
    id: 'writing.context',
    path: '/writing/context',
    summary: 'The window in which is written.',
    spec: 'spec §4 referenced',
  }),
  session(
    'writing.sessionFocusBegin',
    '/writing/session-focus-begin',
    'Starts a focus-card attempt inside a practice session.',
    sessionCommandBodySchema,
  ),
  session(
    'writing.sessionReserve',
    '/writing/session-reserve',
    'Reserves the next attempt of the current practice session.',
    sessionCommandBodySchema,
  ),
  session(
    'writing.sessionPause',
    '/writing/session-pause',
    'Pauses the current practice session; only its record is written.',
    sessionPauseBodySchema,
  ),
  write('handwriting', pencilCommitBodySchema, pencilAckSchema, {
    id: 'writing.pencilCommit',
    path: '/writing/pencil-commit',
    summary: 'Saves the strokes of the focus root canvas as a snapshot; answers acceptance, not the outcome.',
    spec: 'spec §4 pencil-commit',
  }),
  read('handwriting', pencilResultSchema, {
    id: 'writing.pencilResult',
    method: 'POST',
    path: '/writing/pencil-result',
    summary: 'Outcome of a pencil commit by its request id; a POST that only reads.',
    body: pencilResultBodySchema,
    spec: 'spec §4 pencil-result',
  }),
]
