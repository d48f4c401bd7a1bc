/** Globals of Node and all browsers that the ES2023 library does not declare. */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  readonly encoding: string
  decode(input?: Uint8Array | ArrayBuffer, options?: { stream?: boolean }): string
}
declare class TextEncoder {
  encode(input: string): Uint8Array
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number }
}
declare function atob(base64: string): string
declare function btoa(binary: string): string
declare const crypto: {
  readonly subtle: {
    digest(algorithm: 'SHA-256', bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
    importKey(
      format: 'spki',
      key: Uint8Array<ArrayBuffer>,
      algorithm: 'Ed25519',
      isExtractable: boolean,
      uses: readonly ['verify'],
    ): Promise<unknown>
    verify(
      algorithm: 'Ed25519',
      key: unknown,
      signature: Uint8Array<ArrayBuffer>,
      bytes: Uint8Array<ArrayBuffer>,
    ): Promise<boolean>
  }
}
declare function structuredClone<Value>(value: Value): Value
declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(query: string)
  [Symbol.iterator](): Iterator<[string, string]>
}
declare class URL {
  static canParse(text: string): boolean
  constructor(url: string, base?: string)
  protocol: string
  username: string
  password: string
  hostname: string
  port: string
  pathname: string
  search: string
  hash: string
  readonly href: string
  readonly host: string
  readonly origin: string
}
interface AbortSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void
}
