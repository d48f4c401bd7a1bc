import { endpoints } from '../../../shared/bridge/endpoints/index.ts'

/** Ids of every endpoint that changes something; giving a token away has its own place, and files are not sent from here. */
export const writeIds: readonly string[] = endpoints
  .filter(({ access, secret, upload }) => access !== 'read' && !secret && !upload)
  .map(({ id }) => id)
