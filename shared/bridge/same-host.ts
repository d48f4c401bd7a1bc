/**
 * Whether a record is of the host at this base URL (normalised, as profiles keep it). Records of earlier versions name its origin alone.
 */
export const isHost = (host: string, baseUrl: string): boolean => host === baseUrl || host === new URL(baseUrl).origin
