import { createHash } from 'node:crypto'

/**
 * PDFs that need decoders, fonts or character maps besides the reader itself, built object by
 * object. Every picture has 32 x 32 pixels: a black square with a white border of 8 pixels.
 */

type Piece = string | Buffer

const bytesOf = (pieces: readonly Piece[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)))

const stream = (dictionary: string, data: Buffer): Buffer =>
  bytesOf([`<< ${dictionary} /Length ${data.length} >>\nstream\n`, data, '\nendstream'])

/** A file of these objects, the first one its catalog; `trailer` = what else stands there. */
function fileOf(objects: readonly Piece[], trailer = ''): Buffer {
  let file: Buffer = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')
  const offsets: number[] = []
  for (const [n, object] of objects.entries()) {
    offsets.push(file.length)
    file = bytesOf([file, `${n + 1} 0 obj\n`, object, '\nendobj\n'])
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  return bytesOf([
    file,
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`,
    `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`,
  ])
}

/** One page of 200 x 200 points with what `content` draws; objects from number 5 on are `more`. */
const page = (content: string, resources: string, more: readonly Piece[], trailer = ''): Buffer =>
  fileOf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << ${resources} >> >>`,
      stream('', Buffer.from(content, 'latin1')),
      ...more,
    ],
    trailer,
  )

const picture = (dictionary: string, data: Buffer): Buffer =>
  page('q 200 0 0 200 0 0 cm /I Do Q', '/XObject << /I 5 0 R >>', [
    stream(`/Type /XObject /Subtype /Image /Width 32 /Height 32 ${dictionary}`, data),
  ])

/**
 * Encodes the square as a group 4 fax, which describes each line by its differences from the line
 * above.
 */
function fax(): Buffer {
  const [shared, pass, horizontal, white8, black16] = ['1', '0001', '001', '10011', '0000010111']
  const bits = [
    shared.repeat(8),
    horizontal + white8 + black16 + shared,
    (shared + shared + shared).repeat(15),
    pass + shared,
    shared.repeat(7),
    '000000000001'.repeat(2),
  ].join('')
  const octets = bits.match(/.{1,8}/g) ?? []
  return Buffer.from(octets.map((octet) => Number.parseInt(octet.padEnd(8, '0'), 2)))
}

export const ccittPdf = (): Buffer =>
  picture(
    '/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 32 /Rows 32 >>',
    fax(),
  )

/** JBIG2 as scanners embed it: a page, and one region in it that is coded like a fax. */
export function jbig2Pdf(): Buffer {
  const u32 = (...numbers: number[]): Buffer => {
    const out = Buffer.alloc(numbers.length * 4)
    numbers.forEach((number, n) => out.writeUInt32BE(number, n * 4))
    return out
  }
  const segment = (number: number, type: number, data: Buffer): Buffer =>
    Buffer.concat([u32(number), Buffer.from([type, 0, 1]), u32(data.length), data])
  const fullBytes = segment(0, 48, Buffer.concat([u32(32, 32, 0, 0), Buffer.from([0, 0, 0])]))
  const region = segment(1, 38, Buffer.concat([u32(32, 32, 0, 0), Buffer.from([0, 1]), fax()]))
  return picture('/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /JBIG2Decode', Buffer.concat([fullBytes, region]))
}

/** Made from the square by `opj_compress` of OpenJPEG, without loss. */
const jp2 = Buffer.from(
  'AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAIAAAACAAAQcHAAAAAAAPY29scgEAAAAAABEAAAFwanAyY/9P/1EAKQAAAAAAIAAAACAAAAAAAAAAAAAAACAAAAAgAAAAAAAAAAAAAQcBAf9SAAwAAAABAAIEBAAB/1wACkBASEhQSEhQ/2QAJQABQ3JlYXRlZCBieSBPcGVuSlBFRyB2ZXJzaW9uIDIuNS4w/5AACgAAAAAA+AAB/5PfghAZLAk4IzyV63n6ijtxfihufUks5jEI5qAHDM36KwS3wGHI2eAkeMJxlA3cnZUVLoZkrnIVyDNjnsYiM2lMSR0ZPFbPwHZ+A7D7RQAZyqmjF0GKGawampdh+acHKcUnp6oMKe2w9eThbyDdDZZdkO362oqNz68Yx9QrESsA0S8MxMFr9BohFfMWYUZJzljZTieQfn9RIAQ9nZfPwHZ+A7D7QsBy1ekntj/4zhueGSIXGnFvwC4F5Sj4+Ahnjz5xoC5C3PwTvvC1Tu88uKUWHg9+lJeA9LF+EjoId1IPJMujAk+dZIxzJn//2Q==',
  'base64',
)

export const jpxPdf = (): Buffer => picture('/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /JPXDecode', jp2)

/** Creates a PDF with a JPEG 2000 that ends in the middle of its header. */
export const brokenJpxPdf = (): Buffer =>
  picture('/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /JPXDecode', jp2.subarray(0, 60))

const text = (encoded: Buffer): string => `BT /F 40 Tf 20 80 Td <${encoded.toString('hex')}> Tj ET`

/**
 * Creates a PDF with Chinese text in a font that is not embedded, and in an encoding that needs a
 * predefined character map.
 */
export const chinesePdf = (): Buffer =>
  page(text(Buffer.from('d6d0cec4d1a7cfb0', 'hex')), '/Font << /F 5 0 R >>', [
    '<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /GBK-EUC-H /DescendantFonts [6 0 R] >>',
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 /FontDescriptor 7 0 R
      /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>`,
    descriptor('STSong-Light'),
  ])

/** Creates a PDF with Japanese text in Shift JIS. */
export const japanesePdf = (): Buffer =>
  page(text(Buffer.from('93fa967b8cea', 'hex')), '/Font << /F 5 0 R >>', [
    '<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /90ms-RKSJ-H /DescendantFonts [6 0 R] >>',
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /DW 1000 /FontDescriptor 7 0 R
      /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>`,
    descriptor('HeiseiMin-W3'),
  ])

const descriptor = (name: string): string =>
  `<< /Type /FontDescriptor /FontName /${name} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0
    /Ascent 752 /Descent -271 /CapHeight 737 /StemV 58 >>`

/** Creates a PDF with a standard font, which readers provide and the file does not contain. */
export const standardFontPdf = (): Buffer =>
  page(text(Buffer.from('abc', 'latin1')), '/Font << /F 5 0 R >>', [
    '<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>',
  ])

/**
 * A page that is protected by a password (revision 2 of the standard handler: RC4 with 40 bits, ISO
 * 32000-1 §7.6.3).
 */
export function protectedPdf(password: string): Buffer {
  const id = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
  const permissions = -4
  const owner = rc4(md5(padded('owner')).subarray(0, 5), padded(password))
  const permissionBytes = Buffer.alloc(4)
  permissionBytes.writeInt32LE(permissions)
  const key = md5(Buffer.concat([padded(password), owner, permissionBytes, id])).subarray(0, 5)
  const user = rc4(key, padding)
  const hashPassword = (number: number): Buffer =>
    md5(Buffer.concat([key, Buffer.from([number, 0, 0, 0, 0])])).subarray(0, 10)
  const content = rc4(hashPassword(4), Buffer.from('0 0 0 rg 50 50 100 100 re f', 'latin1')).toString('latin1')
  const hex = (bytes: Buffer): string => `<${bytes.toString('hex')}>`
  return page(
    content,
    '',
    [`<< /Filter /Standard /V 1 /R 2 /O ${hex(owner)} /U ${hex(user)} /P ${permissions} >>`],
    `/Encrypt 5 0 R /ID [${hex(id)} ${hex(id)}]`,
  )
}

const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
const padded = (password: string): Buffer => Buffer.concat([Buffer.from(password, 'latin1'), padding]).subarray(0, 32)
const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest()

function rc4(key: Buffer, data: Buffer): Buffer {
  const box = Uint8Array.from({ length: 256 }, (_, n) => n)
  const readBox = (n: number): number => box[n & 255] ?? 0
  const swap = (i: number, j: number): void => {
    const [first, other] = [readBox(i), readBox(j)]
    box[i & 255] = other
    box[j & 255] = first
  }
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + readBox(i) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  let [i, j] = [0, 0]
  return data.map((byte) => {
    i = (i + 1) & 255
    j = (j + readBox(i)) & 255
    swap(i, j)
    return byte ^ readBox(readBox(i) + readBox(j))
  }) as Buffer
}
