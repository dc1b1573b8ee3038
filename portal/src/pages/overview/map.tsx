import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { every } from '../../api/client.ts';
import { pathIn, type Scope } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { TopologyPicture } from '../../pictures/topology.tsx';
import { unreadNote } from '../../ui/fault.tsx';
import { Card } from '../../ui/page.tsx';
import styles from './map.module.css';
import { KINDS, type ProjectMap, pictureOf } from './map-model.ts';
import { mapQuery } from './queries.ts';

/** The stream says when it changes; a notification may be lost. */
const LOOK_MS = 120_000;

/** The project as one picture over all its regions. */
export function ProjectPicture() {
  const scope = useScope();
  const result = useQuery({ ...mapQuery(scope), ...every(LOOK_MS) });
  const [text, setText] = useState('');
  const [region, setRegion] = useState('');
  const { data } = result;
  const topology = useMemo(
    () => data && pictureOf(data, scope, { text, region: region === '' ? undefined : Number(region) }),
    [data, scope, text, region],
  );
  const unread = unreadNote(result);
  const isEmpty = data?.nodes.length === 0;
  return (
    <Card
      title="Map"
      aside={
        data &&
        !isEmpty && (
          <span className={styles.filters}>
            {/* As the browser has them: the first page is to be small. */}
            <input
              type="search"
              aria-label="Find on the map"
              placeholder="Find on the map"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <select
              aria-label="Region of the map"
              value={region}
              onChange={(event) => setRegion(event.currentTarget.value)}
            >
              <option value="">All regions</option>
              {data.regions.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </span>
        )
      }
    >
      {unread && <div className={styles.note}>{unread}</div>}
      {!unread && !data && <Skeleton height={160} m="md" />}
      {data && isEmpty && <Ghosts map={data} scope={scope} />}
      {topology && !isEmpty && (
        <TopologyPicture topology={topology} label="The project: traffic goes from left to right" />
      )}
      {data && !isEmpty && <Legend map={data} />}
    </Card>
  );
}

/** Which region is real, and of what there is more. */
function Legend({ map }: { readonly map: ProjectMap }) {
  const more = map.truncated.map((kind) => KINDS[kind]?.words ?? kind);
  return (
    <p className={styles.legend}>
      {map.regions.map(({ id, name, simulated }) => (
        <span key={id}>
          <b>{name}</b>: {simulated ? 'simulated, nothing in it is real' : 'real, on machines of this cloud'}
        </span>
      ))}
      {more.length > 0 && <span>More than 200 of: {more.join(', ')}. Their lists show all.</span>}
    </p>
  );
}

const GHOSTS: readonly (readonly [title: string, about: string, page: string])[] = [
  ['API token', 'For programs, Terraform and the command line', '/account/tokens?new=1'],
  ['Load balancer', 'In front of two servers', 'load-balancers/new'],
  ['Database', 'PostgreSQL with a connection string', 'databases'],
  ['Bucket', 'In an object storage, for any S3 client', 'storages?new=1'],
];

/** Where nothing is yet, what could be is the way to begin. */
function Ghosts({ map, scope }: { readonly map: ProjectMap; readonly scope: Scope }) {
  return (
    <>
      <p className={styles.note}>Nothing is here yet. Begin with one of these:</p>
      <div className={styles.ghosts}>
        {GHOSTS.map(([title, about, page]) => (
          <Link
            key={title}
            className={styles.ghost}
            to={page.startsWith('/') ? page : `${pathIn(scope)}/${page}`}
          >
            <b>{title}</b>
            <span>{about}</span>
          </Link>
        ))}
      </div>
      <Legend map={map} />
    </>
  );
}
