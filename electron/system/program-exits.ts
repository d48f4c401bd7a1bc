import type { AppError, WireError } from '../../shared/errors.ts'

/** Exit codes for scripts. The documentation prints the same list. */
export const programExits = {
  ok: {
    code: 0,
    description:
      'Done. For writes and `watch`: the host says that it is done, and nothing that was read back speaks against it.',
  },
  failed: {
    code: 1,
    description:
      'Something went wrong here: an output that can’t be written (a full disk), or a defect of this program.',
  },
  usage: {
    code: 2,
    description: 'The command line is not valid, or does not say which host is meant. Nothing was sent.',
  },
  host: {
    code: 3,
    description:
      'The host answered with an error: a status of 400 or more, or an `error` in the body whatever the status. Its code is on standard error; its body, if it has one, on standard output.',
  },
  offline: {
    code: 4,
    description: 'No usable answer: nobody listens, a time limit passed, or what came is not what was promised.',
  },
  token: { code: 5, description: 'The host refused the token, or there is none.' },
  refused: {
    code: 6,
    description:
      'Refused here, so that the host was not asked: `--write` is missing, the profile is read-only, nobody confirmed, or the host leaves the route out of its list.',
  },
  inUse: {
    code: 7,
    description:
      'A write, while another program writes with this data directory, which the message names. Nothing was sent.',
  },
  open: { code: 8, description: 'The host accepted it, or may have: whether it is done is not known (yet).' },
  unsaved: {
    code: 9,
    description: 'It ended, and it is not saved as it was sent, or the host says that it verified no snapshot of it.',
  },
  partial: {
    code: 10,
    description:
      'What was printed is not everything: the host cut the list, or does not have some of the cards; or it has a shape that is not known here, and was printed as sent; or `contract check` was stopped, or got no response to some reads.',
  },
  unmet: {
    code: 11,
    description:
      'What was checked does not hold: a request or an assertion of `run` failed, or with `--fail` there are findings, deviations or differences (or nothing was there to check), a recording is damaged or was changed, two recordings differ, or what `recording reduce` looks for does not show.',
  },
  unsigned: {
    code: 12,
    description:
      '`recording verify`: the recording is as it was written, but nobody vouches for a part of it, or for all.',
  },
  interrupted: { code: 130, description: 'Ctrl+C. Nothing that was on its way was sent a second time.' },
  ended: { code: 143, description: 'Told to stop by another program.' },
} as const satisfies Record<string, { readonly code: number; readonly description: string }>

export type ExitName = keyof typeof programExits

const exitNamesByKind: Readonly<Record<WireError['kind'], ExitName>> = {
  host: 'host',
  http: 'host',
  timeout: 'offline',
  offline: 'offline',
  malformed: 'offline',
  unread: 'partial',
  refused: 'refused',
  cancelled: 'interrupted',
  internal: 'failed',
}

/** Error codes with an exit of their own, whatever the kind of the error. */
const exitNamesByCode: Readonly<Record<string, ExitName>> = {
  DATA_DIR_IN_USE: 'inUse',
  PORT_TAKEN: 'failed',
  PORT_FORBIDDEN: 'failed',
  TOKEN_MALFORMED: 'usage',
  NOT_CONNECTED: 'usage',
  PROFILE_NAME: 'usage',
  PARAM_RANGE: 'usage',
  PARAM_SEGMENT: 'usage',
  PARAM_VALUE: 'usage',
  PARAM_MISSING: 'usage',
  PATH_OUTSIDE: 'usage',
  BODY_NOT_JSON: 'usage',
  COLLECTION_UNKNOWN: 'usage',
  COLLECTION_UNREADABLE: 'usage',
  DATA_UNREADABLE: 'usage',
  PANEL_NOT_FOUND: 'usage',
  PANEL_NO_INDEX: 'usage',
  PANEL_NOT_LOOPBACK: 'usage',
  ADDRESS_INVALID: 'usage',
  ADDRESS_SCHEME: 'usage',
  ADDRESS_PARTS: 'usage',
  RECORDING_NOT_A_RECORDING: 'usage',
  LIBRARY_INVALID: 'usage',
  FINDING_NOT_REPEATED: 'unmet',
  COMMAND_PASSES: 'unmet',
}

export function toExitName({ wire: { kind, code = '', status } }: AppError): ExitName {
  if (status === 401) return 'token'
  if (code.startsWith('FLAG_') || code.startsWith('DATA_DIR_')) return exitNamesByCode[code] ?? 'usage'
  // A file that somebody changed, and no response of a host.
  if (kind === 'malformed' && code.startsWith('RECORDING_')) return exitNamesByCode[code] ?? 'unmet'
  return exitNamesByCode[code] ?? exitNamesByKind[kind]
}
