/** What a keyring offers; the desktop's adapter wraps the operating system's, the browser host has none. */
export interface Cipher {
  /**
   * `secure`: a keyring that other programs of the user cannot read without asking. `weak`: encryption with a key that
   * any program of the user has (Linux `basic_text`). `none`: nothing to encrypt with.
   */
  backend(): Promise<{ name: string; grade: 'secure' | 'weak' | 'none' }>
  encrypt(text: string): Promise<Uint8Array>
  /** Throws when the key is lost, locked or another one. */
  decrypt(bytes: Uint8Array): Promise<string>
}
