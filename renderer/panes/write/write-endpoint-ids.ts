import { endpoints, type EndpointId } from '../../../shared/bridge/endpoints/index.ts'

/** All that do more than read, without token requests and uploads, which have own places. */
export const writeEndpointIds: readonly EndpointId[] = endpoints
  .filter(({ access, returnsSecret: secret, isUpload: upload }) => access !== 'read' && !secret && !upload)
  .map(({ id }) => id)
