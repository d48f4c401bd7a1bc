/** A keyring. The desktop app wraps the operating system's; a server for browsers has none. */
export interface Cipher {
  /**
   * `secure`: other programs of the user cannot read it without asking. `weak`: the key is known to
   * any program of the user (Linux `basic_text`). `none`: nothing to encrypt with.
   */
  backend(): Promise<{ name: string; grade: 'secure' | 'weak' | 'none' }>
  encrypt(text: string): Promise<Uint8Array>
  /** Throws if the key is lost, locked or different. */
  decrypt(bytes: Uint8Array): Promise<string>
}
