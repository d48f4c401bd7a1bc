/** The body of a response as far as it can be judged. */
export type JudgedBody =
  | { readonly kind: 'json'; readonly value: unknown }
  /** All bytes are known, and they are no JSON. */
  | { readonly kind: 'other' }
  | { readonly kind: 'empty' }
  /** Bytes are missing, or there are too many. */
  | { readonly kind: 'unknown' }

/** A response that the host itself gave, with what its request asked for. */
export interface JudgedExchange {
  readonly method: string
  /** The path includes the query, and is relative to the base URL. */
  readonly path: string
  /** Id in the endpoint table; null if none fits. */
  readonly endpoint: string | null
  readonly status: number
  /** Media type without parameters; empty if none was declared. */
  readonly mediaType: string
  readonly body: JudgedBody
  /** Size of the picture in the response, by its bytes; null if there is none, or it is unknown. */
  readonly imageSize: { readonly width: number; readonly height: number } | null
  /** The parsed body of the request; undefined if it is unknown or there is none. */
  readonly requestBody: unknown
}
