/** Hashes of passwords that a load balancer compares with: whoever reads them computes them anew for each request,
 *  and once while it reads its configuration. What that costs is written in the hash, by whoever made it. */

const MOST_ROUNDS = 100_000;
/** Each step doubles the work; 10 takes some 60 ms. */
const HIGHEST_BCRYPT_COST = 10;

/** What a hash has to be, in the words that follow "must be". */
export const PASSWORD_HASHES =
  'a crypt(3) hash that takes less than 100 ms to compute: SHA-512 or SHA-256 ($6$, $5$) of at most ' +
  `${MOST_ROUNDS} rounds, bcrypt ($2b$) of cost ${HIGHEST_BCRYPT_COST} at most, yescrypt ($y$) of cost 5 at most, or MD5 ($1$)`;

const MD5 = /^\$1\$[^$]{0,8}\$[./0-9A-Za-z]*$/;
const SHA = /^\$[56]\$(?:rounds=(\d{1,9})\$)?[^$]{1,16}\$[./0-9A-Za-z]*$/;
const BCRYPT = /^\$2[abxy]\$(\d\d)\$[./0-9A-Za-z]{53}$/;
/** Its cost is three characters: the flavour, the memory (4 MiB and more from the third on), and the block size. */
const YESCRYPT = /^\$g?y\$j(?:[5-8]5|[7-9]T)\$[./0-9A-Za-z]*\$[./0-9A-Za-z]*$/;
/** Of old; two characters of salt. */
const DES = /^[./0-9A-Za-z]{13}$/;

/** Whether an engine may be given this hash: of a kind that crypt(3) knows, and soon computed. */
export function isPasswordHash(text: string): boolean {
  const sha = SHA.exec(text);
  if (sha) return sha[1] === undefined || Number(sha[1]) <= MOST_ROUNDS;
  const bcrypt = BCRYPT.exec(text);
  if (bcrypt) return Number(bcrypt[1]) <= HIGHEST_BCRYPT_COST;
  return MD5.test(text) || YESCRYPT.test(text) || DES.test(text);
}
