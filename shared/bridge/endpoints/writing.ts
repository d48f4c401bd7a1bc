import type { z } from 'zod'
import { type ReadBack, readBacks } from './read-back.ts'
import {
  pencilAcknowledgementSchema,
  pencilCommitBodySchema,
  pencilResultBodySchema,
  pencilResultSchema,
  sessionAcknowledgementSchema,
  sessionCommandBodySchema,
  sessionPauseBodySchema,
  writingContextSchema,
} from '../resources/writing.ts'
import { defineRead, defineWrite } from './row-builders.ts'
import { acknowledgedOutcome } from './outcomes.ts'

const defineSessionCommand = <const Id extends string>(
  id: Id,
  path: string,
  summary: string,
  body: z.ZodType,
  touches: ReadBack = readBacks.session,
) =>
  defineWrite('handwriting', body, sessionAcknowledgementSchema, {
    id,
    path,
    summary,
    requiresMax: null,
    outcome: acknowledgedOutcome,
    command: 'session',
    touches: [touches],
    dataKinds: ['session'],
    face: { name: 'writing' },
    spec: `spec §4 ${path.slice(9)}`,
  })

/** Described in spec-0.91 §4. */
export const writingEndpoints = [
  defineRead('handwriting', writingContextSchema, {
    id: 'writing.context',
    dataKinds: ['session', 'screen'],
    path: '/writing/context',
    summary: 'The window that is being written in.',
    spec: 'spec §4 referenced',
  }),
  defineSessionCommand(
    'writing.sessionFocusBegin',
    '/writing/session-focus-begin',
    'Starts a focus-card attempt inside a practice session.',
    sessionCommandBodySchema,
  ),
  defineSessionCommand(
    'writing.sessionReserve',
    '/writing/session-reserve',
    'Reserves the next attempt of the current practice session.',
    sessionCommandBodySchema,
  ),
  defineSessionCommand(
    'writing.sessionPause',
    '/writing/session-pause',
    'Pauses the current practice session; writes only its record.',
    sessionPauseBodySchema,
    readBacks.pausedSession,
  ),
  defineWrite('handwriting', pencilCommitBodySchema, pencilAcknowledgementSchema, {
    id: 'writing.pencilCommit',
    dataKinds: ['handwriting', 'session', 'studySets'],
    path: '/writing/pencil-commit',
    summary: 'Saves the focus root canvas’s strokes as a snapshot; the response is an acceptance, not the outcome.',
    statuses: { success: [202], refusal: [], isExample: true },
    requiresMax: null,
    outcome: acknowledgedOutcome,
    command: 'pencil',
    face: { name: 'writing' },
    spec: 'spec §4 pencil-commit',
  }),
  defineRead('handwriting', pencilResultSchema, {
    id: 'writing.pencilResult',
    method: 'POST',
    path: '/writing/pencil-result',
    summary: 'Outcome of a pencil commit by its request id; a POST that only reads.',
    body: pencilResultBodySchema,
    command: 'pencil',
    spec: 'spec §4 pencil-result',
  }),
]
