import { endpoints } from '../../../shared/bridge/endpoints/index.ts'

/** Ids of every endpoint that changes something, or takes over the screen; pairing has its own place. */
export const writeIds: readonly string[] = endpoints
  .filter(({ access, id }) => access !== 'read' && id !== 'pair.post')
  .map(({ id }) => id)
