-- What `pacectl map import` keeps of an extract of OpenStreetMap: a subset of the Shortbread schema, with the layers
-- coast and peaks besides. Written for tilemaker 2.2, in which
--   Find returns "" for a tag that is not there, and Attribute writes no "";
--   a Lua error, AttributeNumeric(key, nil) and a ZOrder beyond -126…126 abort the import;
--   Attribute, MinZoom and ZOrder are of the object that the last Layer has made.

-- OSM tags of areas: key, value = layer and kind. The keys are tried in the order of area_keys.
local area_keys = { "natural", "landuse", "leisure", "amenity", "waterway" }

local function land(kind) return { layer = "land", kind = kind } end
local function water(kind) return { layer = "water_polygons", kind = kind } end

local areas = {
    natural = {
        wood = land "forest", grassland = land "grassland", scrub = land "scrub", heath = land "heath",
        bare_rock = land "bare_rock", scree = land "scree", shingle = land "shingle", sand = land "sand",
        beach = land "beach", wetland = land "marsh", water = water "water", glacier = water "glacier",
    },
    landuse = {
        residential = land "residential", industrial = land "industrial", commercial = land "commercial",
        retail = land "retail", railway = land "railway", garages = land "garages", quarry = land "quarry",
        farmland = land "farmland", orchard = land "orchard", vineyard = land "vineyard", forest = land "forest",
        grass = land "grass", meadow = land "meadow", village_green = land "village_green",
        recreation_ground = land "recreation_ground", cemetery = land "cemetery", allotments = land "allotments",
        reservoir = water "reservoir", basin = water "basin",
    },
    leisure = {
        park = land "park", garden = land "garden", golf_course = land "golf_course", playground = land "playground",
    },
    amenity = { grave_yard = land "cemetery" },
    waterway = { riverbank = water "river", dock = water "dock" },
}

local wetlands = { swamp = true, bog = true, string_bog = true, wet_meadow = true, marsh = true }

-- highway = least zoom, least zoom of its names, and rank: a higher one is drawn over a lower one.
local streets = {
    motorway = { zoom = 6, names = 12, rank = 14 },
    trunk = { zoom = 6, names = 12, rank = 13 },
    primary = { zoom = 8, names = 12, rank = 12 },
    secondary = { zoom = 9, names = 12, rank = 11 },
    tertiary = { zoom = 10, names = 12, rank = 10 },
    unclassified = { zoom = 12, names = 14, rank = 9 },
    residential = { zoom = 12, names = 14, rank = 9 },
    road = { zoom = 12, names = 14, rank = 9 },
    living_street = { zoom = 12, names = 14, rank = 8 },
    busway = { zoom = 12, names = 14, rank = 8 },
    bus_guideway = { zoom = 12, names = 14, rank = 8 },
    pedestrian = { zoom = 12, names = 14, rank = 7 },
    service = { zoom = 13, names = 14, rank = 6 },
    cycleway = { zoom = 11, names = 14, rank = 4 },
    track = { zoom = 12, names = 14, rank = 3 },
    path = { zoom = 12, names = 14, rank = 2 },
    bridleway = { zoom = 13, names = 14, rank = 2 },
    footway = { zoom = 13, names = 14, rank = 1 },
    steps = { zoom = 13, names = 14, rank = 1 },
}
local railways = {
    rail = { zoom = 9, rank = 5 },
    narrow_gauge = { zoom = 9, rank = 5 },
    light_rail = { zoom = 9, rank = 5 },
    tram = { zoom = 12, rank = 5 },
    funicular = { zoom = 12, rank = 5 },
    monorail = { zoom = 12, rank = 5 },
}
-- Beside streets, and too many: those of the sidewalk, and where it crosses a street.
local sidewalks = { sidewalk = true, crossing = true, traffic_island = true }

local surfaces = {
    paved = "paved", asphalt = "paved", chipseal = "paved", concrete = "paved", paving_stones = "paved",
    sett = "paved", cobblestone = "paved", unhewn_cobblestone = "paved", bricks = "paved", metal = "paved",
    wood = "paved", rubber = "paved", tartan = "paved",
    unpaved = "unpaved", compacted = "unpaved", fine_gravel = "unpaved", gravel = "unpaved", pebblestone = "unpaved",
    rock = "unpaved", ground = "unpaved", dirt = "unpaved", earth = "unpaved", grass = "unpaved",
    grass_paver = "unpaved", mud = "unpaved", sand = "unpaved", woodchips = "unpaved", snow = "unpaved",
    ice = "unpaved",
}

-- waterway = kind and least zoom. Of rivers and canals, those with a name are seen earlier.
local waterways = {
    river = { kind = "river", zoom = 11, named = 8 },
    canal = { kind = "canal", zoom = 11, named = 8 },
    stream = { kind = "stream", zoom = 13, named = 13 },
    ditch = { kind = "ditch", zoom = 13, named = 13 },
    drain = { kind = "ditch", zoom = 13, named = 13 },
}
local aerialways = { cable_car = "cable_car", gondola = "gondola", mixed_lift = "gondola", chair_lift = "chair_lift" }

-- place = least zoom.
local places = { city = 6, town = 7, village = 10, suburb = 12, hamlet = 12 }
-- capital of a place = kind, and its least zoom if it has another one than the place.
local capitals = {
    yes = { kind = "capital", zoom = 6 },
    ["2"] = { kind = "capital", zoom = 6 },
    ["4"] = { kind = "state_capital" },
}

-- natural = least zoom, with a height and without.
local peaks = {
    peak = { zoom = 11, without = 13 },
    volcano = { zoom = 11, without = 13 },
    saddle = { zoom = 12, without = 13 },
}

local LAST_ZOOM = 14

-- Nodes with none of these keys are not given to node_function.
node_keys = { "place", "natural" }

local function is_set(object, key)
    local value = object:Find(key)
    return value ~= "" and value ~= "no"
end

-- nil for what is no plain number, such as "about 300" or "nan", which tonumber takes.
local function number(text)
    return tonumber(text:match("^%-?%d+%.?%d*$"))
end

-- Returns by how much it is drawn higher than what is on the ground: more than the ranks of streets differ.
local function write_level(way)
    if is_set(way, "tunnel") or way:Find("covered") == "yes" then
        way:AttributeBoolean("tunnel", true)
        return -20
    end
    if is_set(way, "bridge") then
        way:AttributeBoolean("bridge", true)
        return 20
    end
    return 0
end

-- The first zoom in which an area has 9 pixels, of tiles that are 256 pixels wide.
local function area_zoom(way)
    local metres = math.sqrt(way:Area())
    for zoom = 6, LAST_ZOOM - 1 do
        if metres >= 3 * 156543 / 2 ^ zoom then return zoom end
    end
    return LAST_ZOOM
end

function node_function(node)
    local name = node:Find("name")
    local place = node:Find("place")
    if places[place] and name ~= "" then
        node:Layer("place_labels", false)
        local capital = capitals[node:Find("capital")] or {}
        node:MinZoom(capital.zoom or places[place])
        node:Attribute("kind", capital.kind or place)
        node:Attribute("name", name)
        local population = number(node:Find("population"))
        if population then node:AttributeNumeric("population", population) end
    end

    local natural = node:Find("natural")
    local peak = peaks[natural]
    -- Some heights have their unit. In parentheses, because gsub has a second result.
    local ele = number((node:Find("ele"):gsub("%s*m$", "")))
    if peak and (name ~= "" or ele) then
        node:Layer("peaks", false)
        node:MinZoom(ele and peak.zoom or peak.without)
        node:Attribute("kind", natural)
        node:Attribute("name", name)
        if ele then node:AttributeNumeric("ele", ele) end
    end
end

local function write_label(way, kind, zoom)
    local name = way:Find("name")
    -- Shortbread has several numbers on lines of their own.
    local ref = way:Find("ref"):gsub("%s*;%s*", "\n")
    if name == "" and ref == "" then return end
    way:Layer("street_labels", false)
    way:MinZoom(zoom)
    way:Attribute("kind", kind)
    way:Attribute("name", name)
    way:Attribute("ref", ref)
end

local function write_street(way)
    local highway = way:Find("highway")
    local kind = highway:gsub("_link$", "")
    local street = streets[kind]
    if not street or sidewalks[way:Find("footway")] then return end

    local service = kind == "service" and way:Find("service") or ""
    way:Layer("streets", false)
    way:MinZoom(service ~= "" and LAST_ZOOM or street.zoom)
    way:Attribute("kind", kind)
    way:Attribute("service", service)
    if kind ~= highway then way:AttributeBoolean("link", true) end
    -- "concrete:plates" and "asphalt;gravel" count by their first word.
    way:Attribute("surface", surfaces[way:Find("surface"):match("^[%w_]+")] or "")
    if kind == "track" then way:Attribute("tracktype", way:Find("tracktype"):match("^grade[1-5]$") or "") end
    local bicycle = way:Find("bicycle")
    if bicycle == "designated" or bicycle == "no" then way:Attribute("bicycle", bicycle) end
    local access = way:Find("access")
    if access == "no" or access == "private" then way:Attribute("access", "no") end
    way:ZOrder(street.rank + write_level(way))

    -- A ramp has the number of its motorway.
    if kind == highway then write_label(way, kind, street.names) end
end

local function write_railway(way)
    local kind = way:Find("railway")
    local railway = railways[kind]
    if not railway then return end
    local service = way:Find("service")
    way:Layer("streets", false)
    way:MinZoom(service ~= "" and LAST_ZOOM or railway.zoom)
    way:Attribute("kind", kind)
    way:Attribute("service", service)
    way:AttributeBoolean("rail", true)
    way:ZOrder(railway.rank + write_level(way))
end

local function write_waterway(way)
    local waterway = waterways[way:Find("waterway")]
    if not waterway then return end
    way:Layer("water_lines", false)
    way:MinZoom(way:Find("name") ~= "" and waterway.named or waterway.zoom)
    way:Attribute("kind", waterway.kind)
    write_level(way)
end

-- The ways of a border, each once, though it is of the relations of two countries. At sea there is none to see.
local function write_boundary(way)
    local is_border = way:Find("boundary") == "administrative" and way:Find("admin_level") == "2"
    while way:NextRelation() do is_border = true end
    if not is_border or way:Find("maritime") == "yes" then return end
    way:Layer("boundaries", false)
    way:AttributeNumeric("admin_level", 2)
end

-- Water is on the right of the line, whose direction stays. The import reads that there is one.
local has_coast = false
local function write_coast(way)
    way:Layer("coast", false)
    if not has_coast then print("coast") end
    has_coast = true
end

local function write_area(way)
    for _, key in ipairs(area_keys) do
        local value = way:Find(key)
        local area = areas[key][value]
        if area then
            local kind = area.kind
            if value == "wetland" and wetlands[way:Find("wetland")] then kind = way:Find("wetland") end
            way:Layer(area.layer, true)
            way:MinZoom(area_zoom(way))
            way:Attribute("kind", kind)
            return
        end
    end
end

-- Called for the relations that are multipolygons too; their tags have the type.
function way_function(way)
    local is_multipolygon = way:Find("type") == "multipolygon"
    if not is_multipolygon and way:Find("area") ~= "yes" then
        write_street(way)
        write_railway(way)
        write_waterway(way)
        if way:Find("route") == "ferry" then
            way:Layer("ferries", false)
            way:Attribute("kind", "ferry")
        end
        local aerialway = aerialways[way:Find("aerialway")]
        if aerialway then
            way:Layer("aerialways", false)
            way:Attribute("kind", aerialway)
        end
        if way:Find("natural") == "coastline" then write_coast(way) end
        write_boundary(way)
    end
    if is_multipolygon or way:IsClosed() then
        write_area(way)
        if is_set(way, "building") then way:Layer("buildings", true) end
    end
end

-- The ways of the relations that are accepted here have them in NextRelation.
function relation_scan_function(relation)
    if relation:Find("boundary") == "administrative" and relation:Find("admin_level") == "2" then relation:Accept() end
end
